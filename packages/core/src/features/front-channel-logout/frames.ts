import * as Effect from "effect/Effect"
import type { Client, Locator } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { isHost } from "../../rules/redirectUri.ts"
import { type Objection, judge, prove, table, tracing } from "../../rules/rule.ts"
import { firstBy } from "../../rules/firstBy.ts"
import { type EndingMeans, type SessionFrames, namesOf } from "../../settle/sessionParts.ts"
import { type SignedInTo, signedInTo } from "../../settle/signedInTo.ts"
import { sidFor } from "../../settle/subject.ts"
import { withParams } from "../../wire/index.ts"
import { frontChannelUri } from "./metadata.ts"

/** A client that the person was signed in to. */
interface Candidate {
  readonly client: Client | undefined
}

/**
 * Judges whether a client has a frame on the page after a sign-out. A disabled client has one too, because its own session ends as well.
 */
export const framedRules = table<Candidate, Objection>("front-channel-logout/framed").establish(
  "front-channel-logout.client",
  "OpenID Connect Front-Channel Logout §2, §3",
  ({ client }) => {
    const uri = client && frontChannelUri.of(client)
    return client !== undefined && uri !== undefined
      ? prove({ framed: { client, uri } })
      : { reason: "the client has no frontchannel_logout_uri" }
  },
)

/** A client with the URI of its frame. */
interface Framed {
  readonly client: Client
  readonly uri: string
  /** The last session in which the person signed in to the client. */
  readonly session: Locator
}

/** The most characters of origins in the policy of a page. Proxies refuse longer headers. */
const longestOrigins = 2500

/** The frames whose origins the policy of a page can name and has room for. The most recently used clients come first. */
const withRoom = (found: ReadonlyArray<Framed | undefined>): ReadonlyArray<Framed> => {
  const kept: Array<Framed> = []
  let length = 0
  for (const each of found) {
    if (each === undefined) continue
    const { origin, hostname } = new URL(each.uri)
    // A comma or a semicolon would break the policy for all other frames.
    if (!isHost(hostname) || length + origin.length + 1 > longestOrigins) continue
    length += origin.length + 1
    kept.push(each)
  }
  return kept
}

/**
 * The URI of a frame with iss and sid, or with neither if the client's `sid` cannot be computed (OpenID Connect Front-Channel Logout §3).
 */
const addressOf = ({ client, uri, session }: Framed, means: EndingMeans): Effect.Effect<string, PortFailed> => {
  const { issuer, pairwiseSalt } = means.ports.settings
  if (client.subjectType === "pairwise" && pairwiseSalt === undefined) return Effect.succeed(uri)
  return mapped(sidFor(client, session, means), (sid = session) =>
    withParams(uri, "?", [
      ["iss", issuer],
      ["sid", sid],
    ]),
  )
}

const framedOf = ({ grant, session }: SignedInTo, { ports }: EndingMeans): Effect.Effect<Framed | undefined, PortFailed> =>
  mapped(ports.clients.find(grant.clientId), (client) => {
    const candidate: Candidate & { readonly framed?: Omit<Framed, "session"> } = { client }
    judge(tracing(ports.settings.rulesOff), framedRules, candidate)
    return candidate.framed && { ...candidate.framed, session: session.locator }
  })

/**
 * Makes a frame for each client that has a URI for it and was signed in to in the session or in those that it replaced. The latest session
 * is used, because the client's cookies in this browser are from it.
 */
export const logoutFrames: SessionFrames = (session, means) =>
  Effect.flatMap(signedInTo(namesOf(session), means), (all) => {
    const framed = firstBy(all, ({ grant }) => grant.clientId).map((each) => framedOf(each, means))
    return Effect.flatMap(Effect.all(framed, { concurrency: 8 }), (found) =>
      Effect.all(withRoom(found).map((each) => addressOf(each, means))),
    )
  })
