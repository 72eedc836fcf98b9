import { createHash } from "node:crypto"
import { objectOf, textOf } from "../exchange/exchange.ts"
import { type Rewrite, jwtOf, keeping, withBody } from "./change.ts"
import type { Members } from "./forge.ts"
import { type Change, type Misbehavior, type More, type Outcome, type Transform, misbehavior, unusual } from "./misbehavior.ts"
import { broken, unsigned } from "./ofSignatures.ts"
import type { Level } from "../requirement/requirement.ts"

const ping = "CIBA Core §10.2"
const push = "CIBA Core §10.3.1"

/** The claims that bind a pushed ID token to its request and to its refresh token (CIBA Core §10.3.1). */
const [requestClaim, refreshHash] = ["urn:openid:params:jwt:claim:auth_req_id", "urn:openid:params:jwt:claim:rt_hash"]

/** The prefix of access tokens that no client may use. They occur in notices that no client asked for. */
export const plantedToken = "planted-"

type Kind = "ping" | "push"

/** The members of a notice of one kind. A ping has only its `auth_req_id`, a push has tokens. */
const membersOf = (kind: Kind, { answer }: Change): Members | undefined => {
  const found = objectOf(answer.body)
  if (found === undefined || found["error"] !== undefined) return undefined
  return (found["access_token"] === undefined ? "ping" : "push") === kind ? found : undefined
}

/** Changes notices of one kind. */
const told =
  (kind: Kind, change: (found: Members, more: Change) => Outcome | Promise<Outcome>): Transform =>
  (more) => {
    const found = membersOf(kind, more)
    return found === undefined ? undefined : change(found, more)
  }

/** Changes the members of notices of one kind. Undefined removes a member. */
const members = (kind: Kind, change: (found: Members, more: Change) => Members): Transform =>
  told(kind, (found, more) => withBody(more.answer, JSON.stringify({ ...found, ...change(found, more) })))

const bearerIn = ({ answer }: Change): string => answer.headers.find(([name]) => name === "authorization")?.[1] ?? ""

/** Replaces the bearer token of a notice, or removes it. */
const bearing = ({ answer }: Change, value: string | undefined): Outcome => {
  const others = answer.headers.filter(([name]) => name !== "authorization")
  return { ...answer, headers: value === undefined ? others : [...others, ["authorization", value]] }
}

/** Sets a polling interval of one minute for a client that uses ping mode, so that an earlier poll is a reaction to the ping. */
const patient: Transform = ({ answer }) => {
  const found = objectOf(answer.body)
  if (found?.["auth_req_id"] === undefined) return undefined
  return { answer: withBody(answer, JSON.stringify({ ...found, interval: 60 })), unchanged: true }
}

const pinged = (id: string, title: string, notice: Transform, more?: Level | More, made = misbehavior): Misbehavior =>
  made(`ciba-ping.${id}`, title, ping, { ciba: patient, notice }, more)

const pushed = (id: string, title: string, notice: Transform, more?: Level | More, made = misbehavior): Misbehavior =>
  made(`ciba-push.${id}`, title, push, { notice }, more)

/** Rewrites a pushed ID token. */
const token = (id: string, title: string, rewrite: Rewrite, more?: Level | More): Misbehavior => {
  const rewritten = jwtOf("id_token", rewrite)
  return pushed(
    id,
    title,
    told("push", (_, more) => rewritten(more)),
    more,
  )
}

/** Changes the claims of a pushed ID token that has a claim with this name. */
const claims = (id: string, title: string, name: string, change: (found: Members) => Members): Misbehavior =>
  token(id, title, ({ header, claims: found }, forge) =>
    found[name] === undefined ? undefined : forge.sign(header, { ...found, ...change(found) }),
  )

/** Faults of the notification's bearer token, which the client chooses for each request. */
const bearers = (kind: Kind, made: typeof pinged): ReadonlyArray<Misbehavior> => [
  made(
    "token-other",
    `the ${kind} has another bearer token than the client's`,
    told(kind, (_, more) => bearing(more, "Bearer another-token-than-the-client-sent")),
  ),
  made(
    "token-missing",
    `the ${kind} has no bearer token`,
    told(kind, (_, more) => bearing(more, undefined)),
  ),
  made(
    "token-of-other",
    `the ${kind} has the bearer token of the client's earlier request`,
    told(kind, (_, more) => {
      const { bearer } = more.kept
      const own = bearerIn(more)
      return bearer === undefined || bearer === own ? keeping(more.answer, { bearer: own }) : bearing(more, bearer)
    }),
    { signIns: 2 },
  ),
]

const half = (text: string): string => createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url")

/** Tokens for a client that does not use push mode. The access token is invalid, and the ID token is correctly signed. */
const unasked = ({ forge, issuer, client, now }: Change, id: string): Promise<Members> | undefined => {
  const kid = forge.keyFor("RS256")?.kid
  const accessToken = `${plantedToken}${half(id)}`
  const bound = { [requestClaim]: id, at_hash: half(accessToken) }
  const content = { iss: issuer, sub: "somebody-else", aud: client, iat: now, exp: now + 300, auth_time: now, ...bound }
  return forge
    .sign({ alg: "RS256", kid }, content)
    .then((idToken) => ({ auth_req_id: id, access_token: accessToken, token_type: "Bearer", expires_in: 300, id_token: idToken }))
}

const signedIn = "Did the client show a signed-in page?"

/** Replaces the tokens with an error. The client must stop there, and a client in push mode may not poll either. */
const ended = (id: string, code: string): Misbehavior =>
  misbehavior(
    `ciba-push.${id}`,
    `the error ${code} is pushed in place of tokens`,
    "CIBA Core §12",
    { notice: told("push", ({ auth_req_id }, { answer }) => withBody(answer, JSON.stringify({ auth_req_id, error: code }))) },
    { calm: true, question: signedIn },
  )

const twice = (_: Members, { answer }: Change): Outcome => ({ answer, next: [answer] })

const late = (_: Members, { answer }: Change): Outcome => ({ answer, delivery: "slow" })

/** Faults of notices about CIBA results, in ping mode and in push mode. */
export const ofNotices: ReadonlyArray<Misbehavior> = [
  pinged(
    "id-other",
    "the ping names another request than the client's",
    members("ping", () => ({ auth_req_id: "q.another-request-than-the-client-made" })),
  ),
  ...bearers("ping", pinged),
  misbehavior(
    "ciba-ping.for-push",
    "a client that results are pushed to is pinged: it must not ask for them",
    "CIBA Core §10.1",
    { notice: told("push", ({ auth_req_id }, { answer }) => withBody(answer, JSON.stringify({ auth_req_id }))) },
    { calm: true, observe: { notice: ["poll"] } },
  ),
  pinged("twice", "the client is pinged twice", told("ping", twice), "SHOULD", unusual),
  pinged("late", "the ping comes late", told("ping", late), "SHOULD", unusual),
  pushed(
    "id-other",
    "the push names another request than the client's",
    members("push", () => ({ auth_req_id: "q.another-request-than-the-client-made" })),
  ),
  ...bearers("push", pushed),
  claims("claim-id-other", "the ID token that is pushed names another request", requestClaim, () => ({
    [requestClaim]: "q.another-request",
  })),
  claims("claim-id-missing", "the ID token that is pushed names no request", requestClaim, () => ({ [requestClaim]: undefined })),
  claims("at-hash-wrong", "the at_hash of the pushed ID token is of another access token", "at_hash", () => ({ at_hash: half("another") })),
  claims("at-hash-missing", "the pushed ID token has no at_hash", "at_hash", () => ({ at_hash: undefined })),
  claims("rt-hash-wrong", "the rt_hash of the pushed ID token is of another refresh token", refreshHash, () => ({
    [refreshHash]: half("another"),
  })),
  claims("rt-hash-missing", "the pushed ID token has no rt_hash though there is a refresh token", refreshHash, () => ({
    [refreshHash]: undefined,
  })),
  claims("iss-wrong", "the iss of the pushed ID token is another issuer", "iss", () => ({ iss: "https://other.example" })),
  claims("aud-other", "the tokens that are pushed are another client's", "aud", () => ({ aud: "another-client" })),
  claims("exp-past", "the pushed ID token has expired an hour ago", "exp", ({ iat }) => ({
    iat: Number(iat) - 7200,
    exp: Number(iat) - 3600,
  })),
  token("alg-none", "the pushed ID token is not signed (none)", unsigned),
  token("signature-broken", "the signature of the pushed ID token is broken", broken),
  token("key-strange", "the pushed ID token is signed by a stranger's key", ({ header, claims: found }, forge) =>
    forge.signAsStranger(header, found),
  ),
  pushed(
    "of-other-request",
    "the tokens that are pushed are those of the client's earlier request",
    told("push", ({ auth_req_id, ...tokens }, { answer, kept }) => {
      const { earlier } = kept
      return earlier === undefined
        ? keeping(answer, { earlier: JSON.stringify(tokens) })
        : withBody(answer, JSON.stringify({ auth_req_id, ...objectOf(earlier) }))
    }),
    { signIns: 2, observe: { notice: ["userinfo", "userinfo again"] } },
  ),
  misbehavior(
    "ciba-push.for-ping",
    "tokens are pushed to a client that is to be pinged: it must take them from the token endpoint alone",
    "CIBA Core §10.2",
    {
      notice: told("ping", async ({ auth_req_id }, more) =>
        withBody(more.answer, JSON.stringify(await unasked(more, textOf(auth_req_id)))),
      ),
    },
    { calm: true, observe: { notice: [] } },
  ),
  ended("denied", "access_denied"),
  ended("expired", "expired_token"),
  ended("failed", "transaction_failed"),
  misbehavior("ciba-push.error-and-tokens", "an error is pushed together with tokens", "CIBA Core §12", {
    notice: members("push", () => ({ error: "access_denied" })),
  }),
  unusual("ciba-push.error-forged", "a stranger pushes an error with another bearer token, and then come the tokens", push, {
    notice: told("push", ({ auth_req_id }, more) => {
      const forged = { ...more, answer: withBody(more.answer, JSON.stringify({ auth_req_id, error: "access_denied" })) }
      const outcome = bearing(forged, "Bearer a-stranger")
      return outcome === undefined || "answer" in outcome ? undefined : { answer: outcome, next: [more.answer] }
    }),
  }),
  pushed("twice", "the tokens are pushed twice", told("push", twice), "SHOULD", unusual),
  misbehavior(
    "ciba-push.late",
    "the tokens are pushed after the request has run out",
    "CIBA Core §7.3",
    {
      ciba: ({ answer }) => {
        const found = objectOf(answer.body)
        return found?.["auth_req_id"] === undefined ? undefined : withBody(answer, JSON.stringify({ ...found, expires_in: 1 }))
      },
      notice: told("push", late),
    },
    { level: "MAY", observe: { ciba: ["userinfo"] } },
  ),
]
