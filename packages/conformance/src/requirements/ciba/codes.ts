import { type Received, json, objectOf, textOf } from "../../exchange/exchange.ts"
import { type Finding, first, holds, oneOf, refused, same, shown, status } from "../../oracle/finding.ts"
import { type Requirement, area } from "../../requirement/requirement.ts"
import { type Steps, tokensOf } from "../../steps/steps.ts"
import { Untried } from "../../target/target.ts"
import { allowed, answer, ask, asked, byOwnToken, needsOf, poll } from "./asking.ts"

const expiring = area("ciba", { ...needsOf("push"), time: true })
const late = area("ciba", { ...needsOf("poll"), time: true })
const coded = area("ciba", { ...needsOf("coded"), metadata: { backchannel_user_code_parameter_supported: true } })

const invalid =
  (...codes: ReadonlyArray<string>) =>
  (received: Received): Finding =>
    refused(received, [400], ...codes)

const codeOf = (t: Steps): string => {
  const code = t.target.person?.user_code
  if (code === undefined) throw new Untried("the user_code of the person is not known")
  return code
}

/** User codes, which protect people from unsolicited prompts (CIBA Core §7.1, §13). */
const userCodes: ReadonlyArray<Requirement> = [
  coded(
    "user-code",
    "CIBA Core §7.1",
    "A client that sends user codes asks a person by theirs",
    (t) => ask(t, { user_code: codeOf(t) }, "coded"),
    (received) => status(received, 200),
  ),
  coded(
    "user-code-missing",
    "CIBA Core §7.1, §13",
    "A client that sends user codes asks nobody without one",
    (t) => ask(t, {}, "coded"),
    invalid("missing_user_code"),
  ),
  coded(
    "user-code-wrong",
    "CIBA Core §7.1, §13",
    "A wrong user code asks nobody",
    (t) => ask(t, { user_code: `${codeOf(t)}-${t.random()}` }, "coded"),
    invalid("invalid_user_code"),
  ),
]

const detailed = area("ciba", {
  ...needsOf("terminal"),
  metadata: { backchannel_authentication_endpoint: undefined, authorization_details_types_supported: undefined },
})

const detailsOf = (t: Steps) => {
  const known = t.client("terminal").authorization_details
  if (known === undefined) throw new Untried("no authorization_details are known of the client of the role terminal")
  return known.asked
}

/** Authorization details of CIBA requests (RFC 9396 §3). */
const details: ReadonlyArray<Requirement> = [
  detailed(
    "details",
    "RFC 9396 §3, §7",
    "A client that asks a person with authorization details gets those that were allowed",
    async (t) => {
      const wanted = detailsOf(t)
      const { received } = await allowed(t, "terminal", { authorization_details: JSON.stringify([wanted]) })
      return { wanted, found: tokensOf(received)["authorization_details"] }
    },
    ({ wanted, found }) =>
      first(
        holds(Array.isArray(found) && found.length === 1, `authorization_details are ${shown(found)}`),
        same((Array.isArray(found) ? (found[0] as Record<string, unknown>) : {})["type"], wanted["type"], "the type"),
      ),
  ),
  detailed(
    "details-unknown",
    "RFC 9396 §5",
    "Authorization details of an unknown type are refused",
    (t) => ask(t, { authorization_details: '[{"type":"conformance_unknown"}]' }, "terminal"),
    invalid("invalid_authorization_details"),
  ),
  detailed(
    "details-form",
    "RFC 9396 §5",
    "Authorization details that are no list of objects are refused",
    (t) => ask(t, { authorization_details: '{"type":' }, "terminal"),
    invalid("invalid_authorization_details"),
  ),
]

/** A request that expired without a decision, and its notices. */
const unanswered = async (t: Steps) => {
  const before = (await t.notices("push", 0)).length
  const request = await asked(t, "push")
  await t.pass(Number(request.answer["expires_in"]) + 1)
  return { request, notices: (await t.notices("push", before)).slice(before) }
}

/** The expiry of a request in push mode (CIBA Core §12). */
const expiries: ReadonlyArray<Requirement> = [
  expiring(
    "push-expired",
    "CIBA Core §12",
    "A client that is pushed results is sent no tokens for a request that ran out, and no other error than expired_token",
    unanswered,
    ({ request, notices }) => {
      const told = notices.map(({ body }) => objectOf(body) ?? {})
      return first(
        holds(told.length <= 1, `${told.length} messages were sent`),
        ...told.flatMap((members) => [
          same(members["auth_req_id"], request.id, "the auth_req_id"),
          oneOf(members["error"], ["expired_token"], "the error"),
          holds(members["access_token"] === undefined, "an access token was sent"),
        ]),
      )
    },
  ),
  expiring(
    "push-expired-proved",
    "CIBA Core §12",
    "The message of a request that ran out is authorized by the client's own token, as every push is",
    async (t) => {
      const { request, notices } = await unanswered(t)
      const [notice] = notices
      // This notice is optional for a provider (CIBA Core §12).
      if (notice === undefined) throw new Untried("the provider sends no message for a request that ran out")
      return { request, notice }
    },
    ({ request, notice }) => byOwnToken(request, notice),
  ),
  late(
    "late",
    "CIBA Core §7.3, §11",
    "A person who answers a request after its time gives its client nothing",
    async (t) => {
      const request = await asked(t, "poll", { requested_expiry: "60" })
      await t.pass(Number(request.answer["expires_in"]) + 1)
      await answer(t, request).catch(() => undefined)
      return poll(t, request.id)
    },
    (received) =>
      first(
        holds(textOf(json(received)?.["access_token"]) === "", "an access token came"),
        oneOf(json(received)?.["error"], ["expired_token", "invalid_grant"], "the error"),
      ),
  ),
]

/** Parameters other than the person and the scope, and the expiry of requests. */
export const cibaCodes: ReadonlyArray<Requirement> = [...userCodes, ...details, ...expiries]
