import type { ClientMetadata, Instant } from "@postern/core/model"
import { type Declared, type Outcome, declaredAs, mapFew } from "../declared.ts"
import type { ClientSecrets } from "./clientSecrets.ts"
import type { ClientRow, ClientRows } from "./clientRows.ts"
import type { DeclaredHashes, DeclaredSecrets } from "../secrets/declaredSecrets.ts"
import { digestSecret, isDigest, sameText } from "../secrets/secretDigest.ts"
import { isWeakSecret } from "./strength.ts"
import { type KeptSecret, type SealedSecrets, noSecret, signsWithSecret } from "./sealedSecrets.ts"

/** Parts that clients are declared with. */
export interface Declaring {
  readonly secrets: ClientSecrets
  readonly sealed: SealedSecrets
  readonly now: () => Instant
}

/** Makes stored clients agree with those a configuration file declares. */
export const declare = async (rows: ClientRows, declaring: Declaring, declared: ReadonlyArray<ClientMetadata>): Promise<Declared> => {
  const stored = new Map((await rows.all()).map((row) => [row.clientId, row]))
  const judged = await mapFew(declared, async (metadata) => {
    const before = stored.get(metadata.client_id)
    const row = await rowOf(declaring, metadata, before)
    return { row, outcome: outcomeOf(row, before) }
  })
  const names = new Set(declared.map(({ client_id }) => client_id))
  const removed = [...stored.values()].flatMap(({ clientId, origin }) => (origin === "config" && !names.has(clientId) ? [clientId] : []))
  const written = judged.flatMap(({ row, outcome }) => (outcome === "unchanged" ? [] : [row]))
  if (written.length > 0 || removed.length > 0) await rows.agree(written, removed)
  // A row that cannot be confirmed now is confirmed at the next start; the file counts all the same.
  declaring.secrets.declared.confirm().catch(() => undefined)
  return declaredAs(
    judged.map(({ row, outcome }) => [row.clientId, outcome] as const),
    removed,
  )
}

/** Takes the weak secrets of declared clients as those of the hashes given. */
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

/** Reuses a row's hash or sealed secret if it still fits the secret; else makes another. */
type KeepAgain = (declaring: Declaring, clientId: string, secret: string, before: ClientRow | undefined) => Promise<KeptSecret>

const hashedAgain: KeepAgain = async ({ secrets }, clientId, secret, before) => {
  const hashed = before?.secretHash
  // A digest that fits is of a strong secret: to judge it again would be a third of a start with 5,000 clients.
  if (hashed !== undefined && isDigest(hashed) && sameText(hashed, digestSecret(clientId, secret)))
    return { secretHash: hashed, secretSealed: undefined }
  if (!isWeakSecret(secret)) return { secretHash: await secrets.keep(clientId, secret), secretSealed: undefined }
  // A slow hash is taken for this secret's, unless it is known to be another's; the rows are compared afterwards.
  const isKept = hashed !== undefined && !isDigest(hashed) && secrets.declared.matches(clientId, hashed, secret) !== false
  const secretHash = isKept ? hashed : await secrets.keep(clientId, secret)
  secrets.declared.declare(clientId, secretHash, secret, !isKept)
  return { secretHash, secretSealed: undefined }
}

const sealedAgain: KeepAgain = async ({ sealed }, clientId, secret, before) => {
  // One that another key-encryption key sealed is sealed anew: the file says what it is.
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
