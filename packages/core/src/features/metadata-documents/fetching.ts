import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Instant, JsonObject, Seconds } from "../../model/index.ts"
import { type OutwardRefused, PortFailed, type ResolvingPorts, type ResolvingRequest } from "../../ports/index.ts"
import { mapped, onward, steps, together } from "../../ports/steps.ts"
import { type TracedStep, type Tracing, judge } from "../../rules/rule.ts"
import { keyedHash } from "../../settle/account.ts"
import { keepCopy } from "../../settle/copies.ts"
import { decodeBase64Url, freshnessOf } from "../../wire/index.ts"
import { canonical } from "../registration/index.ts"
import { logoOf } from "./logo.ts"
import { type Fetches, type Memory, countFetch, failureOf, noMemory, rememberFailure } from "./memory.ts"
import { membersRead } from "./metadata.ts"
import { type MetadataDocumentRow, isUnfresh, metadataDocuments, removeDocument, saveDocument } from "./rows.ts"
import { type Identified, type Lying, type Unresolved, documentRules, fetchedRules, longestDocument } from "./rules.ts"

/** Seconds for which a document is fresh: the minimum, the default if its server states none, and the maximum. */
const life = { least: 60, unsaid: 300, most: 3_600 } as const satisfies Record<string, Seconds>

/** Milliseconds for fetching a document, from the lookup of its host to the last byte (§6.6). */
const longestWait = 4_000

/** The result of fetching a document: a good one, or the steps that show why there is none. */
export type Fetched =
  | { readonly _tag: "Good"; readonly row: MetadataDocumentRow; readonly steps: ReadonlyArray<TracedStep> }
  | { readonly _tag: "Bad"; readonly isPassing: boolean; readonly steps: ReadonlyArray<TracedStep> }

type Bad = Extract<Fetched, { readonly _tag: "Bad" }>

/** The ports of a request. */
export type Asking = Pick<ResolvingPorts, "tokens" | "digest"> & ResolvingRequest

const memories = new WeakMap<object, Memory<Fetched, Bad>>()
const allFetches = new WeakMap<object, Fetches>()

const ofOne = <Made>(all: WeakMap<object, Made>, whose: object, make: () => Made): Made => {
  const known = all.get(whose)
  if (known !== undefined) return known
  const made = make()
  all.set(whose, made)
  return made
}

const memoryOf = ({ settings }: Asking): Memory<Fetched, Bad> => ofOne(memories, settings, noMemory<Fetched, Bad>)

const counted = (host: string, { outbound }: Asking, now: Instant): Effect.Effect<void, PortFailed> =>
  countFetch(
    ofOne(allFetches, outbound, (): Fetches => new Map()),
    host,
    now,
  )

/** A document that a request needs. */
export interface Wanted extends Pick<Identified, "clientId"> {
  readonly host: string
  readonly now: Instant
  readonly known: MetadataDocumentRow | undefined
  readonly mostDocuments: number
  readonly means: Lying["means"]
  /** Seconds for which a copy is kept after it is no longer fresh. */
  readonly keptFor: Seconds
  /** Judges whether the requester may have a document fetched. It is called once for each fetch. */
  readonly refused: () => OutwardRefused | undefined
  /** Judges a client of the document by the policies and the rules of registration. A refused client does not take a slot. */
  readonly admits: (row: MetadataDocumentRow, trace: Tracing) => Effect.Effect<boolean, PortFailed>
}

const judgedSteps = (objection: Unresolved | undefined, { steps: met }: Tracing): Fetched | undefined =>
  objection && { _tag: "Bad", isPassing: objection.isPassing === true, steps: met }

/**
 * The time until which a document is kept without a grant. A document that must be fetched each time is kept for sign-outs and for
 * introspection of its tokens.
 */
const ownEnd = ({ fetchedAt, freshUntil }: Pick<MetadataDocumentRow, "fetchedAt" | "freshUntil">, { keptFor }: Pick<Wanted, "keptFor">) =>
  Math.max(freshUntil, fetchedAt + life.least) + keptFor

/** Fetches and judges a document, and stores a copy. */
const ask = steps(function* (wanted: Wanted, ports: Asking) {
  const { clientId, now, known } = wanted
  const answer = yield* ports.outbound.fetch(clientId, "application/json, application/*+json;q=0.9", {
    bytes: longestDocument,
    milliseconds: longestWait,
    ofStranger: true,
  })
  const trace: Tracing = { off: ports.settings.rulesOff, steps: [] }
  const seen: { readonly answer: typeof answer; readonly document?: JsonObject } = { answer }
  const bad = judgedSteps(judge(trace, fetchedRules, seen), trace)
  if (bad !== undefined) return bad
  const { document: whole = {} } = seen
  const worse = judgedSteps(judge(trace, documentRules, { clientId, document: whole, means: wanted.means }), trace)
  if (worse !== undefined) return worse
  const document = membersRead(whole)
  const { jwks } = document
  const { digest, keys, places } = yield* together({
    digest: ports.digest.sha256(`postern client metadata\n${canonical(document)}`),
    keys: jwks === undefined || jwks === null ? undefined : ports.digest.sha256(`postern client keys\n${canonical(jwks)}`),
    places: placesOf(clientId, wanted.mostDocuments, ports),
  })
  const { isUnkept, seconds = life.unsaid } = freshnessOf(answer._tag === "Fetched" ? answer.caching : undefined)
  const freshUntil = isUnkept ? now : now + Math.min(life.most, Math.max(life.least, seconds))
  const judged: MetadataDocumentRow = {
    clientId,
    document,
    digest,
    keys,
    fetchedAt: now,
    freshUntil,
    slot: known?.slot ?? places[0] ?? "0",
    keepUntil: Math.max(ownEnd({ fetchedAt: now, freshUntil }, wanted), known?.keepUntil ?? 0),
  }
  const judging: Tracing = { ...trace, steps: [] }
  if (!(yield* wanted.admits(judged, judging))) return { _tag: "Bad", isPassing: false, steps: [...trace.steps, ...judging.steps] } as const
  const row = { ...judged, logo: yield* logoOf(document["logo_uri"], ports, (host) => counted(host, ports, now)) }
  // A document that its server lets nobody cache is not written again if it is fetched unchanged within a minute.
  const isThere = isUnkept && known?.digest === digest && known.logo === row.logo && isUnfresh(known) && now < known.fetchedAt + life.least
  return { _tag: "Good", row: isThere ? known : yield* kept(row, places, wanted, ports), steps: trace.steps } as const
})

/**
 * The slots that a document may take. They are derived from its id with a secret key, so that the documents need not be counted and nobody
 * can find ids that share slots with another.
 */
const placesOf = (clientId: string, most: number, ports: Asking): Effect.Effect<ReadonlyArray<string>, PortFailed> =>
  mapped(keyedHash(["document place", clientId], { ports }), (hash) => {
    const bytes = decodeBase64Url(hash) ?? new Uint8Array(32)
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    return [...new Set([0, 4, 8, 12].map((at) => String(view.getUint32(at) % most)))]
  })

/**
 * Stores a document in the slot of its previous version, in a free slot, or in place of another document. A document whose client has no
 * grant is replaced before one whose client has a grant, and among equals the one that was fetched longest ago.
 */
const kept = steps(function* (row: MetadataDocumentRow, places: ReadonlyArray<string>, wanted: Wanted, ports: Asking) {
  const { tokens } = ports
  const { known } = wanted
  if (known !== undefined) {
    const done = yield* keepCopy([saveDocument(row, known)], ports)
    return done === "Committed" ? row : yield* others(row, tokens)
  }
  const taken = yield* together(Object.fromEntries(places.map((slot) => [slot, tokens.find(metadataDocuments, { slot })])))
  const free = places.find((slot) => taken[slot] === undefined)
  const isHeld = (each: MetadataDocumentRow): number => Number(each.keepUntil > ownEnd(each, wanted))
  const [oldest] = places
    .flatMap((slot) => taken[slot] ?? [])
    .toSorted((left, right) => isHeld(left) - isHeld(right) || left.fetchedAt - right.fetchedAt)
  const placed = { ...row, slot: free ?? oldest?.slot ?? row.slot }
  const leaves = free === undefined && oldest !== undefined ? [removeDocument(oldest)] : []
  const done = yield* keepCopy([...leaves, saveDocument(placed, undefined)], ports)
  return done === "Committed" ? placed : yield* others(placed, tokens)
})

/** The copy that another process has stored in the meantime, so that all processes use one version; this copy if there is none. */
const others = (row: MetadataDocumentRow, tokens: Asking["tokens"]): Effect.Effect<MetadataDocumentRow, PortFailed> =>
  mapped(tokens.find(metadataDocuments, { clientId: row.clientId }), (found) =>
    found !== undefined && found.fetchedAt >= row.fetchedAt ? found : row,
  )

/** Removes a document that is no longer good. */
const gone = ({ known }: Wanted, ports: Asking): Effect.Effect<void, PortFailed> =>
  known === undefined ? Effect.void : mapped(keepCopy([removeDocument(known)], ports), () => undefined)

/** Records an audit event for a client that is new, has changed or has been removed. */
const told = (fetched: Fetched, { clientId, known, now }: Wanted, { audit }: Asking): void => {
  const event = (name: string): void =>
    audit.record(() => [{ event: name, at: now, clientId, detail: fetched._tag === "Good" ? fetched.row.digest : ruleOf(fetched) }])
  if (fetched._tag === "Bad") {
    if (known !== undefined && !fetched.isPassing) event("client_document_gone")
  } else if (known === undefined) event("client_document_fetched")
  else if (known.digest !== fetched.row.digest) event("client_document_changed")
}

const ruleOf = ({ steps: met }: Fetched): string | undefined => {
  const last = met.findLast(({ objection }) => objection !== undefined)
  return last?.table.rules[last.passed]?.id
}

/** Fetches a document once for all requests that need it now. A failure is remembered for a short time. */
export const fetchedDocument = (wanted: Wanted, ports: Asking): Effect.Effect<Fetched, PortFailed> => {
  const { clientId, host, now } = wanted
  const memory = memoryOf(ports)
  const failed = failureOf(memory.failures, clientId, now)
  if (failed !== undefined) return Effect.succeed(failed)
  return Effect.suspend(() => {
    const joined = memory.underway.get(clientId)
    if (joined !== undefined) return ports.outward.wait(host, "Outbound", "fetch", () => Deferred.await(joined), true)
    const refused = wanted.refused()
    if (refused !== undefined) return Effect.fail(new PortFailed({ port: "Outbound", operation: "fetch", cause: refused }))
    const shared = Deferred.makeUnsafe<Fetched, PortFailed>()
    memory.underway.set(clientId, shared)
    const fetching = onward(counted(host, ports, now), () => ask(wanted, ports))
    const settled = onward(fetching, (fetched: Fetched): Effect.Effect<Fetched, PortFailed> => {
      told(fetched, wanted, ports)
      if (fetched._tag === "Good") return Effect.succeed(fetched)
      rememberFailure(memory.failures, clientId, { host, at: now, bad: fetched })
      return fetched.isPassing ? Effect.succeed(fetched) : mapped(gone(wanted, ports), () => fetched)
    })
    // The fetch is not interruptible, because the other requests that wait for it must not lose it when the first caller ends.
    return Effect.uninterruptible(
      Effect.onExit(settled, (exit) => {
        memory.underway.delete(clientId)
        return Deferred.done(shared, exit)
      }),
    )
  })
}
