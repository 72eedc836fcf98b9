import { type Received, json, objectOf, textOf } from "../../exchange/exchange.ts"
import { type Finding, first, holds, notStored, oneOf, refused, same, shown, status, success } from "../../oracle/finding.ts"
import { type Requirement, area } from "../../requirement/requirement.ts"
import { jwtOf } from "../../steps/jwt.ts"
import { type Steps, tokensOf } from "../../steps/steps.ts"
import { Inconclusive } from "../../target/target.ts"
import { allowed, answer, answeredRequest, asked, byOwnToken, needsOf, noticed, poll } from "./asking.ts"

const needs = needsOf("poll")
const tried = area("ciba", needs)
const pinging = area("ciba", needsOf("ping"))
const pushing = area("ciba", needsOf("push"))

const invalid =
  (...codes: ReadonlyArray<string>) =>
  (received: Received): Finding =>
    first(refused(received, [400], ...codes), holds(json(received)?.["access_token"] === undefined, "an access token came"))

/** The ID token of a response that must be a success. */
const idToken = async (t: Steps, received: Received) => jwtOf(t, tokensOf(received)["id_token"])

/** A request in push mode, and the members of the pushed result. */
const pushed = async (t: Steps, choice?: "refuse") => {
  const { request, notices } = await noticed(t, "push", choice)
  return { request, notice: notices[0], members: objectOf(notices[0]?.body ?? "") ?? {} }
}

/** Reports whether a notice contains only an auth_req_id. */
const isAlone = (body: string, id: string): boolean => {
  const found = objectOf(body) ?? {}
  return found["auth_req_id"] === id && Object.keys(found).length === 1
}

/** Results of CIBA requests in poll, ping and push mode (CIBA Core §8, §10.1, §11). */
export const cibaResults: ReadonlyArray<Requirement> = [
  tried(
    "pending",
    "CIBA Core §11",
    "A client that asks before the person has answered is told to wait",
    async (t) => poll(t, (await asked(t)).id),
    invalid("authorization_pending", "slow_down"),
  ),
  tried(
    "slow-down",
    "CIBA Core §11",
    "A client that asks too fast is told to slow down",
    async (t) => {
      const { id } = await asked(t)
      await poll(t, id)
      return poll(t, id)
    },
    invalid("slow_down"),
    "SHOULD",
  ),
  tried("unknown", "CIBA Core §11", "An auth_req_id that nobody has is refused", (t) => poll(t, t.random(32)), invalid("invalid_grant")),
  tried("missing", "CIBA Core §10.1", "A request without an auth_req_id is refused", (t) => poll(t, undefined), invalid("invalid_request")),
  tried(
    "own-client",
    "CIBA Core §11",
    "A client gets no result of another's request",
    async (t) => poll(t, (await answeredRequest(t)).id, "asking"),
    invalid("invalid_grant"),
    "MUST",
    needsOf("poll", "asking"),
  ),
  tried(
    "expired",
    "CIBA Core §11",
    "A request whose time is over gives no tokens",
    async (t) => {
      const { id, answer: told } = await asked(t)
      await t.pass(Number(told["expires_in"]) + 1)
      return poll(t, id)
    },
    invalid("expired_token"),
    "MUST",
    { ...needs, time: true },
  ),
  tried(
    "tokens",
    "CIBA Core §10.1.1",
    "A client gets its tokens once the person has allowed it",
    async (t) => (await allowed(t)).received,
    (received) =>
      first(
        success(received),
        notStored(received),
        ...["access_token", "token_type", "id_token"].map((name) => holds(textOf(json(received)?.[name]) !== "", `there is no ${name}`)),
      ),
  ),
  tried(
    "id-token",
    "CIBA Core §10.1.1, OpenID Connect Core §2",
    "The ID token is signed, of the issuer, for the client, and in time",
    async (t) => ({
      jwt: await idToken(t, (await allowed(t)).received),
      issuer: t.target.issuer,
      client: t.client("poll").client_id,
      now: t.now(),
    }),
    ({ jwt: { claims, isVerified }, issuer, client, now }) =>
      first(
        holds(isVerified, "no published key verifies it"),
        same(claims["iss"], issuer, "iss"),
        holds([claims["aud"]].flat().includes(client), `aud is ${shown(claims["aud"])}`),
        holds(Number(claims["exp"]) > now, `exp is ${shown(claims["exp"])}, at ${now}`),
        holds(
          claims["auth_time"] === undefined || Number(claims["auth_time"]) <= now + 10,
          `auth_time is ${shown(claims["auth_time"])}, at ${now}`,
        ),
      ),
  ),
  tried(
    "userinfo",
    "OpenID Connect Core §5.3.2",
    "The access token tells of the person whom the ID token names",
    async (t) => {
      const { received } = await allowed(t)
      return { jwt: await idToken(t, received), told: await t.userinfo(tokensOf(received)["access_token"]) }
    },
    ({ jwt, told }) => first(status(told, 200), same(json(told)?.["sub"], jwt.claims["sub"], "sub")),
  ),
  tried(
    "once",
    "CIBA Core §11",
    "A result is given once",
    async (t) => {
      const { request, received } = await allowed(t)
      tokensOf(received)
      return poll(t, request.id)
    },
    invalid("invalid_grant", "slow_down"),
  ),
  tried(
    "race",
    "CIBA Core §11",
    "Of sixteen who ask at once, one gets the tokens",
    async (t) => {
      const { id } = await answeredRequest(t)
      return t.race(() => poll(t, id))
    },
    (all) => same(all.filter(({ status: each }) => each === 200).length, 1, "the number of those who got tokens"),
  ),
  tried(
    "denied",
    "CIBA Core §11",
    "A client learns that the person has refused",
    async (t) => poll(t, (await answeredRequest(t, "refuse")).id),
    invalid("access_denied"),
  ),
  tried(
    "forged",
    "CIBA Core §14, RFC 6749 §10.12",
    "A form of another site allows nothing",
    async (t) => poll(t, (await answeredRequest(t, "forge")).id),
    invalid("authorization_pending", "slow_down", "access_denied"),
  ),
  pinging(
    "pinged",
    "CIBA Core §10.2",
    "A client that wants to be told of a result is told once, with its own token and the auth_req_id alone",
    (t) => noticed(t, "ping"),
    ({ request, notices }) =>
      first(
        same(notices.length, 1, "the number of notices"),
        byOwnToken(request, notices[0]),
        oneOf(notices[0]?.contentType.split(";")[0], ["application/json"], "the media type"),
        holds(notices[0]?.body !== undefined && isAlone(notices[0].body, request.id), "it holds another auth_req_id, or more"),
      ),
  ),
  pinging(
    "pinged-tokens",
    "CIBA Core §10.1, §10.2",
    "A client that was told gets its tokens",
    async (t) => (await allowed(t, "ping")).received,
    success,
  ),
  pinging(
    "pinged-at-once",
    "CIBA Core §10.2, §11",
    "A client that asked too early, and was told since, is answered at once: slow_down would say that its request still waits",
    async (t) => {
      const request = await asked(t, "ping")
      const before = (await t.notices("ping", 0)).length
      const early = await poll(t, request.id, "ping")
      await answer(t, request)
      const notices = await t.notices("ping", before + 1)
      if (notices.length === before) throw new Inconclusive("the client was told of no result", early)
      return poll(t, request.id, "ping")
    },
    success,
    "SHOULD",
  ),
  pushing(
    "pushed",
    "CIBA Core §10.3.1",
    "Tokens that are pushed come with the request's id, and the ID token is bound to both",
    async (t) => {
      const { request, notice, members } = await pushed(t)
      return { request, notice, members, jwt: await jwtOf(t, members["id_token"]) }
    },
    ({ request, notice, members, jwt }) =>
      first(
        byOwnToken(request, notice),
        same(members["auth_req_id"], request.id, "auth_req_id"),
        holds(textOf(members["access_token"]) !== "", "there is no access_token"),
        holds(jwt.isVerified, "no published key verifies the ID token"),
        holds(jwt.claims["urn:openid:params:jwt:claim:auth_req_id"] === request.id, "the ID token names another auth_req_id"),
        holds(textOf(jwt.claims["at_hash"]) !== "", "there is no at_hash"),
      ),
  ),
  pushing(
    "push-denied",
    "CIBA Core §12",
    "A client that is pushed results is told that the person has refused",
    (t) => pushed(t, "refuse"),
    ({ request, members }) => same([members["auth_req_id"], members["error"]], [request.id, "access_denied"], "the id and the error"),
  ),
  pushing(
    "push-polled",
    "CIBA Core §11",
    "A client that is pushed results may not ask for them",
    async (t) => poll(t, (await asked(t, "push")).id, "push"),
    invalid("unauthorized_client", "invalid_grant"),
  ),
]
