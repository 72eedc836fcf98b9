import { type Changes, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, oneOf, same, shown } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { type Jwt, halfHash, jwtOf } from "../steps/jwt.ts"
import type { Authorized, Steps } from "../steps/steps.ts"
import { answered, answersWith, errorSent } from "./answer.ts"

const types = ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"] as const

interface Seen {
  readonly authorized: Authorized
  readonly idToken: Jwt | undefined
  readonly clientId: string
  readonly issuer: string
}

const asked = async (t: Steps, response_type: string, changes: Changes = {}): Promise<Seen> => {
  const authorized = await t.authorize("hybrid", {
    response_type,
    ...(response_type.includes("code") ? {} : { code_challenge: undefined, code_challenge_method: undefined }),
    ...changes,
  })
  const token = authorized.params["id_token"]
  return {
    authorized,
    idToken: token === undefined ? undefined : await jwtOf(t, token),
    clientId: t.client("hybrid").client_id,
    issuer: t.target.issuer,
  }
}

const offering = (type: string): Needs => ({ clients: ["hybrid"], person: true, metadata: { response_types_supported: type } })

const responded = area("response", offering("code id_token"))

const named = (type: string): string => type.replaceAll(" ", "-").replaceAll("_", "-")

const of = (
  type: string,
  id: string,
  paragraph: string,
  title: string,
  oracle: (seen: Seen) => Finding,
  changes: Changes = {},
): Requirement =>
  responded(`${named(type)}-${id}`, paragraph, `${type}: ${title}`, (t) => asked(t, type, changes), oracle, "MUST", offering(type))

const words: Readonly<Record<string, string>> = { code: "code", id_token: "id_token", token: "access_token" }

const complete = (type: string, { authorized }: Seen): Finding => {
  const expected = type.split(" ").map((word) => words[word] ?? "")
  const others = Object.values(words).filter((name) => !expected.includes(name))
  return first(
    answered(authorized, ...expected),
    ...others.map((name) => holds(authorized.params[name] === undefined, `the answer has ${name}`)),
    holds(
      !expected.includes("access_token") || /^bearer$/i.test(textOf(authorized.params["token_type"])),
      `token_type is ${shown(authorized.params["token_type"])}`,
    ),
  )
}

const forms = (type: string): ReadonlyArray<Requirement> => {
  const isFront = type !== "code"
  return [
    of(type, "answer", "OAuth 2.0 Multiple Response Types §5", "the answer has everything that was asked for, and nothing else", (seen) =>
      complete(type, seen),
    ),
    of(
      type,
      "place",
      "OAuth 2.0 Multiple Response Types §5",
      `the answer comes in the ${isFront ? "fragment" : "query"}`,
      ({ authorized }) => same(authorized.place, isFront ? "fragment" : "query", "the place"),
    ),
    responded(
      `${named(type)}-form-post`,
      "OAuth 2.0 Form Post Response Mode §2",
      `${type}: the answer comes by a form where form_post was asked for`,
      (t) => asked(t, type, { response_mode: "form_post" }),
      (seen) => first(same(seen.authorized.place, "form_post", "the place"), complete(type, seen)),
      "MUST",
      { ...offering(type), metadata: { response_types_supported: type, response_modes_supported: "form_post" } },
    ),
  ]
}

const frontToken = types.filter((type) => type.includes("id_token"))
const frontAccess = types.filter((type) => type.includes("id_token") && type.split(" ").includes("token"))
const frontCode = types.filter((type) => type.includes("id_token") && type.includes("code"))
const front = types.filter((type) => type !== "code")

/** Response types and modes (OpenID Connect Core §3.2, §3.3, form_post). */
export const responses: ReadonlyArray<Requirement> = [
  ...types.flatMap(forms),
  ...frontToken.flatMap((type) => [
    of(type, "signature", "OpenID Connect Core §3.2.2.11", "the ID token is signed with a published key", ({ idToken }) =>
      holds(idToken?.isVerified === true, "no published key verifies it"),
    ),
    of(type, "nonce", "OpenID Connect Core §3.2.2.11", "the ID token has the nonce of the request", ({ idToken, authorized }) =>
      same(idToken?.claims["nonce"], authorized.asked.find(([name]) => name === "nonce")?.[1], "nonce"),
    ),
    of(
      type,
      "nonce-required",
      "OpenID Connect Core §3.2.2.1",
      "a request without nonce is refused",
      ({ authorized }) => errorSent(authorized, "invalid_request"),
      { nonce: undefined },
    ),
    of(
      type,
      "audience",
      "OpenID Connect Core §3.2.2.11",
      "the ID token is of the issuer and for the client",
      ({ idToken, clientId, issuer }) =>
        first(
          same(idToken?.claims["iss"], issuer, "iss"),
          holds([idToken?.claims["aud"]].flat().includes(clientId), `aud is ${shown(idToken?.claims["aud"])}`),
        ),
    ),
  ]),
  ...frontAccess.map((type) =>
    of(type, "at-hash", "OpenID Connect Core §3.2.2.10", "at_hash is there and that of the access token", ({ idToken, authorized }) =>
      same(idToken?.claims["at_hash"], halfHash(authorized.params["access_token"], idToken?.header["alg"]), "at_hash"),
    ),
  ),
  ...frontCode.map((type) =>
    of(type, "c-hash", "OpenID Connect Core §3.3.2.11", "c_hash is there and that of the code", ({ idToken, authorized }) =>
      same(idToken?.claims["c_hash"], halfHash(authorized.params["code"], idToken?.header["alg"]), "c_hash"),
    ),
  ),
  ...front.flatMap((type) => [
    of(
      type,
      "not-in-query",
      "OAuth 2.0 Multiple Response Types §3, §5",
      "tokens are never put into a query",
      ({ authorized }) =>
        authorized.leaving === undefined
          ? undefined
          : first(
              holds(authorized.place !== "query" || authorized.params["id_token"] === undefined, "an ID token came in the query"),
              holds(authorized.place !== "query" || authorized.params["access_token"] === undefined, "an access token came in the query"),
              oneOf(authorized.params["error"], ["invalid_request", "unsupported_response_mode"], "the error"),
            ),
      { response_mode: "query" },
    ),
    of(
      type,
      "error-place",
      "OpenID Connect Core §3.2.2.6",
      "an error comes where the answer would have come",
      ({ authorized }) =>
        first(
          errorSent(authorized, "login_required", "interaction_required", "account_selection_required", "consent_required"),
          same(authorized.place, "fragment", "the place"),
        ),
      { prompt: "none" },
    ),
  ]),
  responded(
    "hybrid-same-sub",
    "OpenID Connect Core §3.3.3.6",
    "code id_token: iss and sub of both ID tokens are the same",
    async (t) => {
      const { authorized, idToken } = await asked(t, "code id_token")
      const code = textOf(authorized.params["code"])
      const received = await t.redeem("hybrid", { ...authorized, code })
      const back = await jwtOf(t, (JSON.parse(received.body) as Readonly<Record<string, unknown>>)["id_token"])
      return { front: idToken?.claims, back: back.claims }
    },
    ({ front: one, back }) => first(same(back["sub"], one?.["sub"], "sub"), same(back["iss"], one?.["iss"], "iss")),
  ),
  responded(
    "order-of-words",
    "OAuth 2.0 Multiple Response Types §3",
    "The order of the words of a response type does not matter",
    (t) => t.authorize("hybrid", { response_type: "id_token code" }),
    answersWith("code", "id_token"),
  ),
]
