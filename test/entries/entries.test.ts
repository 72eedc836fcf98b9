import { describe, expect, test } from "vitest"
import { type EntryPoint, entryPoints } from "./list.ts"

/** A value of each kind. */
const kinds: Readonly<Record<string, unknown>> = {
  text: "another",
  number: 42,
  boolean: true,
  function: () => undefined,
  array: [Symbol("none")],
  object: { nonsense: 1 },
  null: null,
}

const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value === "string" ? "text" : typeof value
}

/** Runs an entry point, and returns the message of its error; undefined if there was none. */
const said = async ({ run }: EntryPoint, args: ReadonlyArray<unknown>): Promise<string> => {
  try {
    await run(...(args as ReadonlyArray<never>))
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return "no error"
}

const replaced = (args: ReadonlyArray<unknown>, at: number, value: unknown): ReadonlyArray<unknown> => args.with(at, value)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => kindOf(value) === "object"

describe.each(entryPoints)("$called, given by a caller without types what it cannot use, names itself and the member", (entry) => {
  const { called, args, optional = [], closed = [], may = [], several = [] } = entry
  const begin = `${called}: `

  test("arguments that are missing or of another kind", async () => {
    for (const [at, valid] of args.entries()) {
      const wrong = Object.entries(kinds).flatMap(([kind, value]) => (kind === kindOf(valid) ? [] : [value]))
      for (const value of optional.includes(at) ? wrong : [undefined, ...wrong]) {
        const message = await said(entry, replaced(args, at, value))
        expect.soft(message.startsWith(begin), `argument ${at} = ${kindOf(value)}: ${message}`).toBe(true)
      }
    }
  })

  test("members that there are none of, that are missing, and those of another kind", async () => {
    for (const at of closed) {
      const valid = args[at]
      if (!isObject(valid)) continue
      const unknown = await said(entry, replaced(args, at, { ...valid, nonsense: 1 }))
      expect.soft(unknown.startsWith(begin) && unknown.includes("nonsense: is no "), unknown).toBe(true)
      for (const [name, given] of Object.entries(valid)) {
        const others = Object.entries(kinds).filter(([kind]) => kind !== kindOf(given))
        // No list of an embedder's has a null in it.
        const wrong = [...others, ...(Array.isArray(given) ? [["a list with null", [null]] as const] : [])]
        for (const [kind, value] of several.includes(name) || given === undefined ? [] : wrong) {
          const message = await said(entry, replaced(args, at, { ...valid, [name]: value }))
          expect.soft(message.startsWith(begin) && message.includes(name), `${name} = ${kind}: ${message}`).toBe(true)
        }
        if (may.includes(name)) continue
        const { [name]: _left, ...rest } = valid
        const message = await said(entry, replaced(args, at, rest))
        expect.soft(message.startsWith(begin) && message.includes(`${name}: is missing`), `without ${name}: ${message}`).toBe(true)
      }
    }
  })
})
