import type { Sweep } from "@postern/core/memory"
import { type Command, type CommitResult, comparedBy, type Grant, grants, type Instant, type RowKind } from "@postern/core/model"
import { type FoundBy, foundWithGrant, listed, readsOf, type TokenStorePort } from "@postern/core/ports"
import { secondsOf } from "@postern/core/options"
import { columnsOf, listOf } from "./client.ts"
import type { Library } from "./library.ts"
import { readRow, written, writtenCommand } from "./rows.ts"

/** A token store on Redis. Every failure is a `RedisUnavailable`. */
export interface RedisTokenStore extends TokenStorePort {
  /** Runs all commands or none. Resolves once the server has executed them; `durability` of the stores states what a crash can lose. */
  readonly commit: (commands: ReadonlyArray<Command>) => Promise<CommitResult>
  /** Deletes one slice of expired rows. Call it again while there is more; any number of processes may sweep concurrently. */
  readonly sweep: (now: Instant) => Promise<Sweep>
}

/** The maximum number of rows of each kind per sweep, because Redis is blocked meanwhile. */
const slice = 100

/** The seconds for which the outcome of a commit is kept, for a client that retries it. */
const remembered = "60"

/** Creates a token store for some kinds of row on a library's functions. */
export const tokenStoreOn = (library: Library, kinds: ReadonlyArray<RowKind>): RedisTokenStore => {
  const byName = new Map(kinds.map((kind) => [kind.name, { kind, read: readRow(kind) }] as const))
  const known = <Row>(name: string): { readonly kind: RowKind<Row>; readonly read: (stored: Readonly<Record<string, string>>) => Row } => {
    const found = byName.get(name)
    if (found === undefined) throw new Error(`the store keeps no table ${name}`)
    // The entry was found by the name of the kind, so it decodes that kind's rows.
    return found as never
  }

  const found = async <Row>(kind: RowKind<Row>, key: FoundBy, withGrant: boolean) => {
    const { read } = known<Row>(kind.name)
    const member = [...kind.unique, kind.key[0] ?? ""].find((each) => key[each] !== undefined) ?? ""
    const value = kind.key.length > 1 ? JSON.stringify(kind.key.map((each) => written(key[each]))) : (written(key[member]) ?? "")
    const [row, grant] = listOf(
      await library.call(`read ${kind.called}`, "find", [kind.name, member, value, withGrant ? "grant" : ""]),
    ).map(columnsOf)
    return row === undefined ? undefined : { row: read(row), grant: grant && known<Grant>(grants.name).read(grant) }
  }

  return {
    keeps: (table) => byName.has(table),
    ...readsOf({
      find: async (kind, key) => (await found(kind, key, false))?.row,
      findWithGrant: async (kind, key) => {
        const both = await found(kind, key, true)
        return both && foundWithGrant(kind, both.row, both.grant)
      },
      list: async (kind, name, given) => {
        const listing = kind.lists[name]
        if (listing === undefined) throw new Error(`${kind.name} has no list ${name}`)
        const { read } = known<Readonly<Record<string, unknown>>>(kind.name)
        const texts = Object.fromEntries(Object.entries(given).map(([each, value]) => [each, written(value)]))
        const rows = listOf(await library.call(`list ${kind.name}`, "listed", [kind.name, name, JSON.stringify(texts), String(listed)]))
        return rows
          .flatMap((row) => {
            const stored = columnsOf(row)
            return stored === undefined ? [] : [read(stored)]
          })
          .sort((left, right) => comparedBy(listing.order, left, right))
          .slice(0, listed) as never
      },
    }),
    commit: async (commands: ReadonlyArray<Command>) => {
      if (commands.length === 0) return "Committed"
      const sent = commands.map((command) => writtenCommand(known(command.table).kind, command))
      const result = await library.call("commit", "commit", [crypto.randomUUID(), JSON.stringify(sent), remembered])
      return result === "Committed" ? "Committed" : "Conflict"
    },
    sweep: async (now) => {
      const [removed, more] = listOf(await library.call("sweep", "sweep", [String(secondsOf("sweep: now: is", now)), String(slice)]))
      return { removed: Number(removed), more: Number(more) === 1 }
    },
  }
}
