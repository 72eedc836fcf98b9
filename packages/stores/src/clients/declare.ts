import { setImmediate as turn } from "node:timers/promises"
import { type ClientMetadata, type Instant, sameDigest } from "@postern/core/model"
import { type Declared, type Outcome, declaredAs, mapFew } from "../declared.ts"
import type { ClientSecrets } from "./clientSecrets.ts"
import type { ClientRow, ClientRows } from "./clientRows.ts"
import type { DeclaredHashes, DeclaredSecrets } from "../secrets/declaredSecrets.ts"
import { digestSecret, isDigest } from "../secrets/secretDigest.ts"
import { isWeakSecret } from "./strength.ts"
import { type KeptSecret, type SealedSecrets, noSecret, signsWithSecret } from "./sealedSecrets.ts"

/** Dependencies of declaring clients. */
export interface Declaring {
  readonly secrets: ClientSecrets
  readonly sealed: SealedSecrets
  readonly now: () => Instant
}

/** Updates the stored clients to match those that a configuration file declares. */
export const declare = async (rows: ClientRows, declaring: Declaring, declared: ReadonlyArray<ClientMetadata>): Promise<Declared> => {
  const { same, others, removed } = await compare(rows, declared)
  const judged = await mapFew(
    declared.filter(({ client_id: id }) => !same.has(id)),
    async (metadata) => {
      const before = others.get(metadata.client_id)
      const row = await rowOf(declaring, metadata, before)
      return { row, outcome: outcomeOf(row, before) }
    },
  )
  const outcomes = new Map(judged.map(({ row, outcome }) => [row.clientId, outcome]))
  const written = judged.flatMap(({ row, outcome }) => (outcome === "unchanged" ? [] : [row]))
  if (written.length > 0 || removed.length > 0) await rows.agree(written, removed)
  // A row that cannot be confirmed now is confirmed at the next start. Until then the declared secret is valid all the same.
  declaring.secrets.declared.confirm().catch(() => undefined)
  return declaredAs(
    declared.map(({ client_id: id }) => [id, outcomes.get(id) ?? "unchanged"] as const),
    removed,
  )
}

/** The number of rows compared in one turn of the event loop. They take a millisecond or two. */
const perTurn = 200

/** Compares stored clients with declared ones. Requests of clients that are known to match are answered meanwhile. */
const compare = async (rows: ClientRows, declared: ReadonlyArray<ClientMetadata>) => {
  const byId = new Map(declared.map((metadata) => [metadata.client_id, metadata]))
  const same = new Set<string>()
  const others = new Map<string, ClientRow>()
  const removed: Array<string> = []
  for await (const some of stored(rows))
    for (const row of some) {
      const metadata = byId.get(row.clientId)
      if (metadata === undefined) {
        if (row.origin === "config") removed.push(row.clientId)
      } else if (isAsDeclared(row, metadata)) same.add(row.clientId)
      else others.set(row.clientId, row)
    }
  return { same, others, removed }
}

/** Reads every row in pages, each in its own turn of the event loop. */
async function* stored(rows: ClientRows): AsyncGenerator<ReadonlyArray<ClientRow>> {
  const all = rows.page === undefined ? await rows.all() : undefined
  let [at, last] = [0, ""]
  for (;;) {
    const some = rows.page?.(last, perTurn) ?? all?.slice(at, at + perTurn) ?? []
    yield some
    if (some.length < perTurn) return
    at += perTurn
    last = some.at(-1)?.clientId ?? last
    await turn()
  }
}

/**
 * Reports whether a row matches its client's declaration, without slow work: the client has no secret, or the digest of a strong one.
 * Returns false for a slow hash or a sealed secret, because comparing one takes longer.
 */
export const isAsDeclared = (row: ClientRow, { client_secret: secret, ...metadata }: ClientMetadata): boolean =>
  row.origin === "config" &&
  row.secretSealed === undefined &&
  (secret === undefined ? row.secretHash === undefined : !signsWithSecret(metadata) && isDigestOf(row.secretHash, row.clientId, secret)) &&
  JSON.stringify(row.metadata) === JSON.stringify(metadata)

const isDigestOf = (kept: string | undefined, clientId: string, secret: string): kept is string =>
  kept !== undefined && isDigest(kept) && sameDigest(kept, digestSecret(clientId, secret))

/** Declares the weak secrets of clients as those that the given hashes were made from. */
export const recall = (known: DeclaredSecrets, declared: ReadonlyArray<ClientMetadata>, hashes: DeclaredHashes): void => {
  const kept = new Map(hashes)
  for (const { client_id: clientId, client_secret: secret } of declared) {
    const hash = kept.get(clientId)
    if (secret !== undefined && hash !== undefined) known.declare(clientId, hash, secret, true)
  }
}

const rowOf = async (declaring: Declaring, declared: ClientMetadata, before: ClientRow | undefined): Promise<ClientRow> => {
  const { client_secret: secret, ...metadata } = declared
  const at = declaring.now()
  const row = { clientId: declared.client_id, metadata, origin: "config", createdAt: before?.createdAt ?? at, updatedAt: at } as const
  if (secret === undefined) return { ...row, ...noSecret }
  return { ...row, ...(await (signsWithSecret(declared) ? sealedAgain : hashedAgain)(declaring, row.clientId, secret, before)) }
}

/** Reuses a row's hash or sealed secret if it still matches the secret. Otherwise it makes a new one. */
type KeepAgain = (declaring: Declaring, clientId: string, secret: string, before: ClientRow | undefined) => Promise<KeptSecret>

const hashedAgain: KeepAgain = async ({ secrets }, clientId, secret, before) => {
  const hashed = before?.secretHash
  // A matching digest implies a strong secret. Estimating its strength again would take a third of a start with 5,000 clients.
  if (isDigestOf(hashed, clientId, secret)) return { secretHash: hashed, secretSealed: undefined }
  if (!isWeakSecret(secret)) return { secretHash: await secrets.keep(clientId, secret), secretSealed: undefined }
  // A slow hash is assumed to be of this secret unless it is known to be of another. The rows are compared afterwards.
  const isKept = hashed !== undefined && !isDigest(hashed) && secrets.declared.matches(clientId, hashed, secret) !== false
  const secretHash = isKept ? hashed : await secrets.keep(clientId, secret)
  secrets.declared.declare(clientId, secretHash, secret, !isKept)
  return { secretHash, secretSealed: undefined }
}

const sealedAgain: KeepAgain = async ({ sealed }, clientId, secret, before) => {
  // A secret that another key-encryption key sealed is sealed again, because the file declares its value.
  const known = before?.secretSealed === undefined ? undefined : await sealed.open(clientId, before.secretSealed).catch(() => undefined)
  const kept = known?.reveal() === secret ? before?.secretSealed : undefined
  return { secretHash: undefined, secretSealed: kept ?? (await sealed.seal(clientId, secret)) }
}

const outcomeOf = (row: ClientRow, before: ClientRow | undefined): Outcome => {
  if (before === undefined) return "added"
  const same =
    before.origin === "config" &&
    before.secretHash === row.secretHash &&
    before.secretSealed === row.secretSealed &&
    JSON.stringify(before.metadata) === JSON.stringify(row.metadata)
  return same ? "unchanged" : "changed"
}
