import * as Effect from "effect/Effect"
import type { Client, Settings } from "../../model/index.ts"
import { type ClientResolver, type PortFailed, type ResolvingJudges, type ResolvingPorts, OutwardRefused } from "../../ports/index.ts"
import { addressKey } from "../../wire/index.ts"
import { mapped, onward, steps } from "../../ports/steps.ts"
import { type UriParts, isLoopback, uriParts } from "../../rules/redirectUri.ts"
import { type Tracing, judge, tracing } from "../../rules/rule.ts"
import type { Composition } from "../feature.ts"
import { policyRules, registrationFault } from "../registration/index.ts"
import { type Asking, type Fetched, type Wanted, fetchedDocument } from "./fetching.ts"
import { clientOf, documented } from "./metadata.ts"
import { type DocumentSettings, type Place, policyOf } from "./options.ts"
import { type MetadataDocumentRow, isUnfresh, metadataDocuments } from "./rows.ts"
import { documentRules, fetchRules, hostOfParts, hostRules, identifierRules } from "./rules.ts"

/** Reports whether an id is a URL. The id of a document is always one, and an id that the provider makes itself never is. */
const claims = (clientId: string): boolean => /^https?:\/\//i.test(clientId)

const nobody: Effect.Effect<Client | undefined> = Effect.succeed(undefined)

const unknownAlgorithms: Effect.Effect<ReadonlyArray<string>> = Effect.succeed([])

/** Finds the clients that are identified by a document at their id, a URL (Client ID Metadata Document). */
export const documentResolver = (provider: Composition, settings: DocumentSettings): ClientResolver => ({
  claims,
  nameOf: (clientId) => {
    const parts = uriParts(clientId)
    return parts === undefined ? clientId : hostOfParts(parts)
  },
  find: (clientId, ports) => {
    const { asking, noted } = ports
    if (asking === undefined) return lastKnown(clientId, provider, settings, ports)
    const trace: Tracing = { off: asking.settings.rulesOff, steps: [] }
    const resolution: Resolution = { clientId, provider, settings, trace, judging: asking, ports: { ...ports, ...asking } }
    return mapped(
      onward(ports.clock(), (millis) => resolved(resolution, Math.floor(millis / 1000))),
      (client) => {
        noted?.(trace.steps)
        return client
      },
    )
  },
})

/** Finds the last known version of a client, for work outside of requests. Nothing is fetched. */
const lastKnown = (
  clientId: string,
  provider: Composition,
  settings: DocumentSettings,
  { tokens, judging, answering }: ResolvingPorts,
): Effect.Effect<Client | undefined, PortFailed> => {
  const parts = uriParts(clientId)
  const host = parts === undefined ? "" : hostOfParts(parts)
  const policy = parts && policyOf(host, settings, isOwn(parts))
  if (policy === undefined) return nobody
  return onward(tokens.find(metadataDocuments, { clientId }), (row) => {
    if (row === undefined) return nobody
    if (judging !== undefined)
      return clientOfRow({ clientId, provider, settings, trace: tracing(judging.settings.rulesOff), judging }, row, { host, policy })
    return mapped(answering?.signer.algorithms() ?? unknownAlgorithms, (signing) => {
      const known = { catalog: { identity: new Map() }, profile: answering?.settings.profile, signing }
      return clientOf(row, documented(row, policy, settings, provider, known).client, { host, policy }, settings)
    })
  })
}

/** The properties of a provider that the metadata of documents depends on: its scopes, those of clients if no policy states any, and its profile. */
const knownTo = ({ catalog, profile }: Settings) => ({
  catalog,
  profile,
  scope: profile.parameters.documentScopes === "all" ? catalog.names : undefined,
})

/** A client to be judged, and the values that it is judged by. */
interface Judged {
  readonly clientId: string
  readonly provider: Composition
  readonly settings: DocumentSettings
  readonly trace: Tracing
  readonly judging: ResolvingJudges
}

interface Resolution extends Judged {
  readonly ports: Asking
}

/** Reports whether a document is on the machine of a provider under development, because only there it is fetched over http. */
const isOwn = ({ scheme }: UriParts): boolean => scheme.toLowerCase() === "http"

const isDevelopment = ({ issuer }: Settings): boolean => {
  const parts = uriParts(issuer)
  return parts?.scheme === "http" && isLoopback(parts.host)
}

const resolved = steps(function* (resolution: Resolution, now: number) {
  const { clientId, settings, trace, ports } = resolution
  const identified: { clientId: string; development: boolean; parts?: UriParts } = { clientId, development: isDevelopment(ports.settings) }
  if (judge(trace, identifierRules, identified) !== undefined || identified.parts === undefined) return undefined
  const host = hostOfParts(identified.parts)
  const policy = policyOf(host, settings, isOwn(identified.parts))
  if (judge(trace, hostRules, { host, policy }) !== undefined || policy === undefined) return undefined
  const known = yield* ports.tokens.find(metadataDocuments, { clientId })
  const isFresh = known !== undefined && now >= known.fetchedAt && now < known.freshUntil
  const row = isFresh ? known : yield* renewed(resolution, { host, policy, now, known })
  return row === undefined ? undefined : yield* clientOfRow(resolution, row, { host, policy })
})

/** Fetches a document that is not stored or no longer fresh. */
const renewed = (
  resolution: Resolution,
  { now, known, ...place }: Place & { readonly now: number; readonly known: MetadataDocumentRow | undefined },
): Effect.Effect<MetadataDocumentRow | undefined, PortFailed> => {
  const { clientId, provider, settings, trace, ports } = resolution
  const { mostDocuments, staleLifetime, lifetimes } = settings
  const stale = known !== undefined && !isUnfresh(known) && now < known.freshUntil + staleLifetime ? known : undefined
  const wanted: Wanted = {
    clientId,
    host: place.host,
    now,
    known,
    mostDocuments,
    means: provider.clientAuthentication,
    keptFor: Math.max(staleLifetime, lifetimes.accessToken),
    refused: () => {
      const { limiter, address } = ports
      const wait = (address !== undefined && limiter?.take("documentAddress", addressKey(address), now * 1000)) || 0
      return judge(trace, fetchRules, { wait }) === undefined
        ? undefined
        : new OutwardRefused("more documents were fetched for this address than limits allow", wait)
    },
    admits: (row, judging) => mapped(clientOfRow({ ...resolution, trace: judging }, row, place), (client) => client !== undefined),
  }
  const asked = mapped(fetchedDocument(wanted, ports), (fetched: Fetched) => {
    trace.steps.push(...fetched.steps)
    if (fetched._tag === "Good") return fetched.row
    return fetched.isPassing ? stale : undefined
  })
  if (stale === undefined) return asked
  // The stale copy is used if too many requests wait for other hosts, or if the host must not be asked for a while.
  return Effect.catch(asked, (failure) => (failure.cause instanceof OutwardRefused ? Effect.succeed(stale) : Effect.fail(failure)))
}

/**
 * Makes the client of a document, judged by the current rules for every client, because the policies may have changed since it was fetched.
 */
const clientOfRow = steps(function* (
  { clientId, provider, settings, trace, judging: { settings: known, signer } }: Judged,
  row: MetadataDocumentRow,
  { host, policy }: Place,
) {
  if (judge(trace, documentRules, { clientId, document: row.document, means: provider.clientAuthentication }) !== undefined)
    return undefined
  const signing = yield* signer.algorithms()
  const { client, asked, faults, policy: limits } = documented(row, policy, settings, provider, { ...knownTo(known), signing })
  if (judge(trace, policyRules, { client, asked, policy: limits, faults }) !== undefined) return undefined
  const decryption = yield* signer.encryptionAlgorithms()
  if (registrationFault({ client, decryption, signing }, provider, known, trace) !== undefined) return undefined
  return clientOf(row, client, { host, policy }, settings)
})
