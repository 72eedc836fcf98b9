import type { RowKind } from "@postern/core/model"
import { columnsOf, listOf, RedisUnavailable, type SendCommand, sending, serverCode } from "./client.ts"
import { functions } from "./functions/index.ts"
import { layoutOf } from "./layout.ts"

/**
 * The functions of a store and their flags. Functions with `no-writes` may run on a replica; `allow-oom` functions run even when memory is
 * exhausted, because they free it.
 */
const named = {
  commit: [],
  find: ["no-writes"],
  listed: ["no-writes"],
  sweep: ["allow-oom"],
  place: [],
  addKeys: [],
  exchange: [],
} as const

/** The name of a function. */
export type FunctionName = keyof typeof named

/** The functions loaded in Redis. */
export interface Library {
  /** The prefix of every key. */
  readonly prefix: string
  /** Calls a function. */
  readonly call: (operation: string, name: FunctionName, args: ReadonlyArray<string>) => Promise<unknown>
  /** Sends another command. */
  readonly send: (operation: string, command: ReadonlyArray<string>) => Promise<unknown>
}

const hex = (bytes: ArrayBuffer): string => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256, shortened to 32 hexadecimal digits. */
export const digestOf = async (text: string): Promise<string> =>
  hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).slice(0, 32)

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`

/** Serializes plain data as a Lua table, because a library cannot decode JSON while it is loaded. */
const luaOf = (value: unknown): string => {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(",")}}`
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object" || value === null) return value === undefined || value === null ? "nil" : JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `[${quoted(name)}]=${luaOf(member)}`).join(",")}}`
}

/**
 * Loads the functions, unless they exist. Their names contain a digest of their code, so that a Postern version with different events loads
 * its own functions beside those of a version that still runs. If a server has lost them, as after a replacement, the next call loads them
 * again.
 */
export const loadLibrary = async (send: SendCommand, prefix: string, kinds: ReadonlyArray<RowKind>): Promise<Library> => {
  const body = `local kinds = ${luaOf(Object.fromEntries(kinds.map((kind) => [kind.name, layoutOf(kind)])))}\n${functions}`
  const digest = await digestOf(body + JSON.stringify(named))
  const nameOf = (name: FunctionName): string => `postern_${name}_${digest}`
  const registered = Object.entries(named).map(
    ([name, flags]) =>
      `redis.register_function{ function_name = 'postern_${name}_${digest}', callback = ${name}, flags = { ${flags.map((flag) => `'${flag}'`).join(", ")} } }`,
  )
  const code = [`#!lua name=postern_${digest}`, body, ...registered].join("\n")
  const ask = sending(send)
  const load = (): Promise<unknown> => ask("load its functions", ["FUNCTION", "LOAD", "REPLACE", code])

  const there = listOf(await ask("list its functions", ["FUNCTION", "LIST", "LIBRARYNAME", `postern_${digest}`]))
  if (there.length === 0) await load()
  const callOnce = (operation: string, name: FunctionName, args: ReadonlyArray<string>): Promise<unknown> =>
    ask(operation, ["FCALL", nameOf(name), "1", prefix, ...args])
  return {
    prefix,
    send: ask,
    call: async (operation, name, args) => {
      try {
        return await callOnce(operation, name, args)
      } catch (error) {
        if (!(error instanceof RedisUnavailable) || !isUnknownFunction(error.cause)) throw error
        await load()
        return callOnce(operation, name, args)
      }
    },
  }
}

const isUnknownFunction = (cause: unknown): boolean =>
  cause instanceof Error && serverCode(cause) === "ERR" && /function not found/i.test(cause.message)

/** Returns the digest of a kind's index layout. */
const placesOf = (kind: RowKind): Promise<string> => {
  const { unique, by, until, endless, lists } = layoutOf(kind)
  return digestOf(JSON.stringify({ unique, by, until, endless, lists }))
}

/**
 * Reindexes the rows of kinds whose index layout differs from this version's, some hundreds at a time. A kind that was never stored has no
 * rows, so its layout is recorded before the first write.
 */
export const bringUpToDate = async ({ prefix, send, call }: Library, kinds: ReadonlyArray<RowKind>): Promise<void> => {
  const kept = columnsOf(await send("read its layout", ["HGETALL", `${prefix}layout`])) ?? {}
  const digests = await Promise.all(kinds.map(async (kind) => [kind.name, await placesOf(kind)] as const))
  const other = new Set(digests.flatMap(([name, digest]) => (kept[name] === undefined || kept[name] === digest ? [] : [name])))
  let cursor = other.size === 0 ? undefined : "0"
  while (cursor !== undefined) {
    const [next = "0", found]: ReadonlyArray<unknown> = listOf(
      await send("look for rows", ["SCAN", cursor, "MATCH", `${escaped(prefix)}*:row:*`, "COUNT", "500"]),
    )
    const byKind = Map.groupBy(listOf(found).map(String), (key) => key.slice(prefix.length, key.indexOf(":row:", prefix.length)))
    for (const [name, keys] of byKind) if (other.has(name)) await call("place rows", "place", [name, ...keys])
    const place = `${next as string}`
    cursor = place === "0" ? undefined : place
  }
  for (const [name, digest] of digests) if (kept[name] !== digest) await send("keep its layout", ["HSET", `${prefix}layout`, name, digest])
}

const escaped = (pattern: string): string => pattern.replaceAll(/[*?[\]\\]/g, (special) => `\\${special}`)
