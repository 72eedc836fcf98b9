import { textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, oneOf, same, shown } from "../oracle/finding.ts"
import { type Requirement, requirement } from "../requirement/requirement.ts"
import { type Jwt, halfHash, jwtOf } from "../steps/jwt.ts"
import type { Authorized, Steps } from "../steps/steps.ts"
import { answered, errorSent } from "./answer.ts"

const types = ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"] as const

interface Seen {
  readonly authorized: Authorized
  readonly idToken: Jwt | undefined
  readonly clientId: string
  readonly issuer: string
}

const asked = async (t: Steps, response_type: string, changes: Readonly<Record<string, string | undefined>> = {}): Promise<Seen> => {
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

const named = (type: string): string => type.replaceAll(" ", "-").replaceAll("_", "-")

const of = (
  type: string,
  id: string,
  paragraph: string,
  title: string,
  steps: (t: Steps) => Promise<Seen>,
  oracle: (seen: Seen) => Finding,
): Requirement =>
  requirement({
    id: `response.${named(type)}-${id}`,
    paragraph,
    level: "MUST",
    title: `${type}: ${title}`,
    needs: { clients: ["hybrid"], person: true, metadata: { response_types_supported: type } },
    steps,
    oracle,
  })

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
    of(
      type,
      "answer",
      "OAuth 2.0 Multiple Response Types §5",
      "the answer has everything that was asked for, and nothing else",
      (t) => asked(t, type),
      (seen) => complete(type, seen),
    ),
    of(
      type,
      "place",
      "OAuth 2.0 Multiple Response Types §5",
      `the answer comes in the ${isFront ? "fragment" : "query"}`,
      (t) => asked(t, type),
      ({ authorized }) => same(authorized.place, isFront ? "fragment" : "query", "the place"),
    ),
    requirement({
      id: `response.${named(type)}-form-post`,
      paragraph: "OAuth 2.0 Form Post Response Mode §2",
      level: "MUST",
      title: `${type}: the answer comes by a form where form_post was asked for`,
      needs: { clients: ["hybrid"], person: true, metadata: { response_types_supported: type, response_modes_supported: "form_post" } },
      steps: (t: Steps) => asked(t, type, { response_mode: "form_post" }),
      oracle: (seen: Seen) => first(same(seen.authorized.place, "form_post", "the place"), complete(type, seen)),
    }),
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
    of(
      type,
      "signature",
      "OpenID Connect Core §3.2.2.11",
      "the ID token is signed with a published key",
      (t) => asked(t, type),
      ({ idToken }) => holds(idToken?.isVerified === true, "no published key verifies it"),
    ),
    of(
      type,
      "nonce",
      "OpenID Connect Core §3.2.2.11",
      "the ID token has the nonce of the request",
      (t) => asked(t, type),
      ({ idToken, authorized }) => same(idToken?.claims["nonce"], authorized.asked.find(([name]) => name === "nonce")?.[1], "nonce"),
    ),
    of(
      type,
      "nonce-required",
      "OpenID Connect Core §3.2.2.1",
      "a request without nonce is refused",
      (t) => asked(t, type, { nonce: undefined }),
      ({ authorized }) => errorSent(authorized, "invalid_request"),
    ),
    of(
      type,
      "audience",
      "OpenID Connect Core §3.2.2.11",
      "the ID token is of the issuer and for the client",
      (t) => asked(t, type),
      ({ idToken, clientId, issuer }) =>
        first(
          same(idToken?.claims["iss"], issuer, "iss"),
          holds([idToken?.claims["aud"]].flat().includes(clientId), `aud is ${shown(idToken?.claims["aud"])}`),
        ),
    ),
  ]),
  ...frontAccess.map((type) =>
    of(
      type,
      "at-hash",
      "OpenID Connect Core §3.2.2.10",
      "at_hash is there and that of the access token",
      (t) => asked(t, type),
      ({ idToken, authorized }) =>
        same(idToken?.claims["at_hash"], halfHash(authorized.params["access_token"], idToken?.header["alg"]), "at_hash"),
    ),
  ),
  ...frontCode.map((type) =>
    of(
      type,
      "c-hash",
      "OpenID Connect Core §3.3.2.11",
      "c_hash is there and that of the code",
      (t) => asked(t, type),
      ({ idToken, authorized }) => same(idToken?.claims["c_hash"], halfHash(authorized.params["code"], idToken?.header["alg"]), "c_hash"),
    ),
  ),
  ...front.flatMap((type) => [
    of(
      type,
      "not-in-query",
      "OAuth 2.0 Multiple Response Types §3.0",
      "tokens are never put into a query",
      (t) => asked(t, type, { response_mode: "query" }),
      ({ authorized }) =>
        authorized.leaving === undefined
          ? undefined
          : first(
              holds(authorized.place !== "query" || authorized.params["id_token"] === undefined, "an ID token came in the query"),
              holds(authorized.place !== "query" || authorized.params["access_token"] === undefined, "an access token came in the query"),
              oneOf(authorized.params["error"], ["invalid_request", "unsupported_response_mode"], "the error"),
            ),
    ),
    of(
      type,
      "error-place",
      "OpenID Connect Core §3.2.2.6",
      "an error comes where the answer would have come",
      (t) => asked(t, type, { prompt: "none" }),
      ({ authorized }) =>
        first(
          errorSent(authorized, "login_required", "interaction_required", "account_selection_required", "consent_required"),
          same(authorized.place, "fragment", "the place"),
        ),
    ),
  ]),
  requirement({
    id: "response.hybrid-same-sub",
    paragraph: "OpenID Connect Core §3.3.3.6",
    level: "MUST",
    title: "code id_token: iss and sub of both ID tokens are the same",
    needs: { clients: ["hybrid"], person: true, metadata: { response_types_supported: "code id_token" } },
    steps: async (t) => {
      const { authorized, idToken } = await asked(t, "code id_token")
      const code = textOf(authorized.params["code"])
      const received = await t.redeem("hybrid", { ...authorized, code })
      const back = await jwtOf(t, (JSON.parse(received.body) as Readonly<Record<string, unknown>>)["id_token"])
      return { front: idToken?.claims, back: back.claims }
    },
    oracle: ({ front: one, back }) => first(same(back["sub"], one?.["sub"], "sub"), same(back["iss"], one?.["iss"], "iss")),
  }),
  requirement({
    id: "response.order-of-words",
    paragraph: "OAuth 2.0 Multiple Response Types §3",
    level: "MUST",
    title: "The order of the words of a response type does not matter",
    needs: { clients: ["hybrid"], person: true, metadata: { response_types_supported: "code id_token" } },
    steps: (t) => t.authorize("hybrid", { response_type: "id_token code" }),
    oracle: (authorized) => answered(authorized, "code", "id_token"),
  }),
]
