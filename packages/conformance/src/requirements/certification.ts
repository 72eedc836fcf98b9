import { json, textOf } from "../exchange/exchange.ts"
import { first, holds, notStored, oneOf, refuses, same, shown, status, success } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { unsigned } from "../steps/signed.ts"
import { type Steps, outcome, tokensOf } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import { redirectUri } from "../target/roles.ts"
import { accepts, answersWith, authorizing, errorSent } from "./answer.ts"
import { offline, refresh, refreshToken } from "./refreshing.ts"

const core = "OpenID Connect Core"
const web: Needs = { clients: ["web"], person: true }
const offering = (type: string): Needs => ({ clients: ["hybrid"], person: true, metadata: { response_types_supported: type } })
const refreshing: Needs = { ...web, metadata: { grant_types_supported: "refresh_token" } }

const session = area("session", web)
const userinfo = area("userinfo", { ...web, metadata: { userinfo_endpoint: undefined } })
const response = area("response", web)
const code = area("code", web)
const refreshes = area("refresh", refreshing)
const idToken = area("id-token", web)
const discovery = area("discovery", {})

/** A token from the front channel, and the userinfo response for it. */
const front = async (t: Steps, response_type: string) => {
  const pkce = response_type.includes("code") ? {} : { code_challenge: undefined, code_challenge_method: undefined }
  const authorized = await t.authorize("hybrid", { response_type, ...pkce })
  const { access_token, id_token } = authorized.params
  if (access_token === undefined) throw new Inconclusive(`no token came: ${outcome(authorized)}`, authorized.last)
  const sub = id_token === undefined ? undefined : (await jwtOf(t, id_token)).claims["sub"]
  return { sub, received: await t.userinfo(access_token) }
}

/** The Shannon entropy of a text in bits. */
const entropy = (text: string): number => {
  const counts = [...Map.groupBy(text, (each) => each).values()].map(({ length }) => length)
  return counts.reduce((sum, count) => sum - count * Math.log2(count / text.length), 0)
}

const accepted = (id: string, title: string, changes: Readonly<Record<string, string>>): Requirement =>
  accepts(id, `${core} §3.1.2.1`, title, changes)

/**
 * Requirements of the OpenID Foundation's suite that no other area states. `test/certification/requirements.ts` maps the suite's modules to
 * them.
 */
export const certification: ReadonlyArray<Requirement> = [
  accepted("display-page", "display=page is accepted", { display: "page" }),
  accepted("login-hint", "A login_hint of a person who is not known is no error", { login_hint: "buffy@op.example" }),
  accepted("claims-locales", "Locales for claims that the provider does not have are no error", { claims_locales: "se" }),
  authorizing(
    "parameter-order",
    "RFC 6749 §3.1",
    "The order of the parameters does not matter",
    (t) => t.authorizeWith(t.request("web", t.random(32)).toReversed()),
    answersWith("code"),
  ),
  authorizing(
    "request-redirect-uri",
    `${core} §6.1`,
    "A request whose redirect_uri is not registered outside of its request object goes nowhere but to the registered one of the object",
    (t) => {
      const client = t.client("web")
      const pairs = t.request("web", t.random(32))
      const object = unsigned({ ...Object.fromEntries(pairs), iss: client.client_id, aud: t.target.issuer })
      const outside = `${new URL(redirectUri(client)).origin}/elsewhere`
      return t.authorizeWith([
        ...pairs.map(([name, value]) => [name, name === "redirect_uri" ? outside : value] as const),
        ["request", object],
      ])
    },
    ({ leaving }) => holds(!(leaving?.url ?? "").includes("/elsewhere"), `the browser was sent to ${shown(leaving?.url)}`),
  ),
  session(
    "max-age-one",
    `${core} §3.1.2.1`,
    "A sign-in that is two seconds old is not enough for max_age=1",
    async (t) => {
      const browser = t.browser()
      const before = await jwtOf(t, (await t.tokens("web", { max_age: "10000" }, { browser })).tokens["id_token"])
      await t.wait(2)
      const again = await t.tokens("web", { max_age: "1" }, { browser })
      return { met: again.authorized.met, before: before.claims, after: (await jwtOf(t, again.tokens["id_token"])).claims }
    },
    ({ met, before, after }) =>
      first(
        holds(met.includes("sign-in"), "nobody was asked to sign in"),
        holds(
          Number(after["auth_time"]) > Number(before["auth_time"]),
          `auth_time is ${shown(after["auth_time"])} after ${shown(before["auth_time"])}`,
        ),
      ),
  ),
  userinfo(
    "scope-all",
    `${core} §5.4`,
    "All the scopes of claims may be asked for at once",
    async (t) => t.userinfo((await t.tokens("web", { scope: "openid profile email address phone" })).tokens["access_token"]),
    (received) => first(success(received), holds(textOf(json(received)?.["sub"]) !== "", "there is no sub")),
  ),
  ...["id_token token", "code token", "code id_token token"].map((type) =>
    response(
      `${type.replaceAll(/[ _]/g, "-")}-userinfo`,
      `${core} §5.3.1`,
      `${type}: userinfo takes the access token of the front channel, and tells the same sub`,
      (t) => front(t, type),
      ({ sub, received }) => first(success(received), holds(sub === undefined || json(received)?.["sub"] === sub, "the sub is another")),
      "MUST",
      { ...offering(type), metadata: { response_types_supported: type, userinfo_endpoint: undefined } },
    ),
  ),
  response(
    "id-token-scope-claims",
    `${core} §5.4`,
    "id_token: claims of scopes are in the ID token, where no access token comes",
    async (t) => {
      const none = { code_challenge: undefined, code_challenge_method: undefined }
      const [alone, wide] = [
        await t.authorize("hybrid", { response_type: "id_token", scope: "openid email", ...none }),
        await t.userinfo((await t.tokens("web", { scope: "openid email" })).tokens["access_token"]),
      ]
      return { claims: (await jwtOf(t, alone.params["id_token"])).claims, known: json(wide)?.["email"] }
    },
    ({ claims, known }) => (known === undefined ? undefined : same(claims["email"], known, "email")),
    "SHOULD",
    { ...offering("id_token"), clients: ["hybrid", "web"] },
  ),
  response(
    "form-post-error",
    "OAuth 2.0 Form Post Response Mode §2",
    "An error comes by a form where form_post was asked for",
    (t) => t.authorize("web", { prompt: "none", response_mode: "form_post" }),
    (a) =>
      first(
        same(a.place, "form_post", "the place"),
        errorSent(a, "login_required", "interaction_required", "account_selection_required", "consent_required"),
      ),
    "MUST",
    { ...web, metadata: { response_modes_supported: "form_post" } },
  ),
  code(
    "expires-in",
    "RFC 6749 §5.1",
    "An answer with tokens says for how long: between a second and a year",
    (t) => t.tokens("web"),
    ({ tokens }) => {
      const seconds = Number(tokens["expires_in"])
      return holds(
        typeof tokens["expires_in"] === "number" && seconds >= 1 && seconds <= 31_536_000,
        `expires_in is ${shown(tokens["expires_in"])}`,
      )
    },
    "SHOULD",
  ),
  code(
    "redeemed-post",
    "RFC 6749 §2.3.1",
    "A client that sends its secret in the form redeems a code",
    async (t) => (await t.tokens("post")).received,
    success,
    "MUST",
    { ...web, clients: ["post"] },
  ),
  code(
    "once-later",
    "RFC 6749 §4.1.2",
    "A code that comes again half a minute later is refused",
    async (t) => {
      const authorized = await t.code("web")
      tokensOf(await t.redeem("web", authorized))
      await t.pass(30)
      return t.redeem("web", authorized)
    },
    refuses("invalid_grant"),
    "MUST",
    { ...web, time: true },
  ),
  refreshes(
    "not-stored",
    "RFC 6749 §5.1",
    "An answer with refreshed tokens is kept by no cache",
    async (t) => refresh(t, await refreshToken(t)),
    (received) => first(status(received, 200), notStored(received)),
  ),
  refreshes(
    "unguessable",
    "RFC 6749 §10.10",
    "Refresh tokens, and access tokens that come of them, have more than 96 bits",
    async (t) => {
      const tokens = await offline(t)
      return [tokens["refresh_token"], tokensOf(await refresh(t, tokens["refresh_token"]))["access_token"]]
    },
    (tokens) =>
      first(
        ...tokens.flatMap((each) => [
          holds(/^[\x20-\x7e]{16,}$/.test(textOf(each)), "a token is shorter than 16 characters, or has some that are not allowed"),
          holds(entropy(textOf(each)) > 96, `a token has ${entropy(textOf(each)).toFixed(0)} bits`),
        ]),
      ),
  ),
  refreshes(
    "id-token-new",
    `${core} §12.2`,
    "An ID token of a refresh has a time of its own",
    async (t) => {
      const tokens = await offline(t)
      const before = await jwtOf(t, tokens["id_token"])
      await t.wait(1)
      const { id_token } = tokensOf(await refresh(t, tokens["refresh_token"]))
      return { before: before.claims["iat"], after: id_token === undefined ? undefined : (await jwtOf(t, id_token)).claims["iat"] }
    },
    ({ before, after }) => holds(after === undefined || Number(after) > Number(before), `iat is ${shown(after)} after ${shown(before)}`),
  ),
  idToken(
    "acr-listed",
    `${core} §2`,
    "The acr of a sign-in that asked for what is listed is one that is listed",
    async (t) => {
      const listed = t.metadata["acr_values_supported"]
      const values = Array.isArray(listed) ? listed.map(textOf) : []
      const { tokens } = await t.tokens("web", { acr_values: values.join(" ") })
      return { values, acr: (await jwtOf(t, tokens["id_token"])).claims["acr"] }
    },
    ({ values, acr }) => (acr === undefined ? undefined : oneOf(acr, values, "acr")),
    "SHOULD",
    { ...web, metadata: { acr_values_supported: undefined } },
  ),
  discovery(
    "request-object-rs256",
    `${core} §15.1`,
    "Where algorithms of request objects are listed, RS256 is one of them",
    async (t) => t.metadata["request_object_signing_alg_values_supported"],
    (listed) => holds(Array.isArray(listed) && listed.includes("RS256"), `the list is ${shown(listed)}`),
    "SHOULD",
    { metadata: { request_object_signing_alg_values_supported: undefined } },
  ),
]
