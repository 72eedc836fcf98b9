import { textOf } from "../exchange/exchange.ts"
import { first, holds, same, shown } from "../oracle/finding.ts"
import { type Requirement, requirement } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import type { Authorized, Steps, Way } from "../steps/steps.ts"
import { answered, errorSent } from "./answer.ts"

const needs = { clients: ["web"], person: true } as const
const inTime = { ...needs, time: true } as const

const signedIn = async (t: Steps) => {
  const browser = t.browser()
  const tokens = await t.tokens("web", { max_age: "100000" }, { browser })
  return { browser, tokens, idToken: (await jwtOf(t, tokens.tokens["id_token"])).claims }
}

const again = async (t: Steps, changes: Readonly<Record<string, string | undefined>>, way: Way) => {
  const { authorized, tokens } = await t.tokens("web", changes, way)
  return { met: authorized.met, claims: (await jwtOf(t, tokens["id_token"])).claims }
}

const errors = ["login_required", "interaction_required", "account_selection_required", "consent_required"]

/** Sessions: prompt, max_age, id_token_hint (OpenID Connect Core §3.1.2). */
export const session: ReadonlyArray<Requirement> = [
  requirement({
    id: "session.prompt-none",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "prompt=none with a session is answered without a page, for the same person",
    needs,
    steps: async (t) => {
      const { browser, idToken } = await signedIn(t)
      return { first: idToken, ...(await again(t, { prompt: "none" }, { browser })) }
    },
    oracle: ({ first: before, claims, met }) => first(same(met, [], "the pages"), same(claims["sub"], before["sub"], "sub")),
  }),
  requirement({
    id: "session.prompt-login",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "prompt=login asks a person who has a session to sign in again",
    needs,
    steps: async (t) => {
      const { browser } = await signedIn(t)
      return t.authorize("web", { prompt: "login" }, { browser, choices: { "sign-in": "stop" } })
    },
    oracle: (authorized) =>
      holds(authorized.leaving === undefined && authorized.page !== undefined, "the client was answered without a page"),
  }),
  requirement({
    id: "session.prompt-login-auth-time",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "After prompt=login auth_time is later",
    needs: inTime,
    steps: async (t) => {
      const { browser, idToken } = await signedIn(t)
      await t.pass(10)
      return { first: idToken, ...(await again(t, { prompt: "login", max_age: "100000" }, { browser })) }
    },
    oracle: ({ first: before, claims }) =>
      holds(
        Number(claims["auth_time"]) > Number(before["auth_time"]),
        `auth_time is ${shown(claims["auth_time"])} after ${shown(before["auth_time"])}`,
      ),
  }),
  requirement({
    id: "session.max-age-over",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "A sign-in that is older than max_age is not enough",
    needs: inTime,
    steps: async (t) => {
      const { browser, idToken } = await signedIn(t)
      await t.pass(120)
      return { first: idToken, ...(await again(t, { max_age: "60" }, { browser })) }
    },
    oracle: ({ first: before, claims, met }) =>
      first(
        holds(met.includes("sign-in"), "nobody was asked to sign in"),
        holds(Number(claims["auth_time"]) > Number(before["auth_time"]), "auth_time is not later"),
      ),
  }),
  requirement({
    id: "session.max-age-within",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "A sign-in that is younger than max_age is enough, and auth_time stays",
    needs,
    steps: async (t) => {
      const { browser, idToken } = await signedIn(t)
      await t.target.pass?.(5)
      return { first: idToken, ...(await again(t, { max_age: "10000" }, { browser })) }
    },
    oracle: ({ first: before, claims, met }) =>
      first(holds(!met.includes("sign-in"), "a person was asked to sign in"), same(claims["auth_time"], before["auth_time"], "auth_time")),
  }),
  requirement({
    id: "session.max-age-zero",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "max_age=0 asks a person to sign in again",
    needs: inTime,
    steps: async (t) => {
      const { browser } = await signedIn(t)
      await t.pass(2)
      return again(t, { max_age: "0" }, { browser })
    },
    oracle: ({ met }) => holds(met.includes("sign-in"), "nobody was asked to sign in"),
  }),
  requirement({
    id: "session.max-age-none",
    paragraph: "OpenID Connect Core §3.1.2.6",
    level: "MUST",
    title: "prompt=none with a sign-in that is too old is answered with an error",
    needs: inTime,
    steps: async (t) => {
      const { browser } = await signedIn(t)
      await t.pass(120)
      return t.authorize("web", { max_age: "60", prompt: "none" }, { browser })
    },
    oracle: (authorized) => errorSent(authorized, ...errors),
  }),
  requirement({
    id: "session.max-age-form",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "SHOULD",
    title: "A max_age that is no number is refused",
    needs,
    steps: (t) => t.authorize("web", { max_age: "soon" }),
    oracle: (authorized) => errorSent(authorized, "invalid_request"),
  }),
  requirement({
    id: "session.hint",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "prompt=none with the ID token of the person who has the session is answered",
    needs,
    steps: async (t) => {
      const { browser, tokens, idToken } = await signedIn(t)
      return { first: idToken, ...(await again(t, { prompt: "none", id_token_hint: textOf(tokens.tokens["id_token"]) }, { browser })) }
    },
    oracle: ({ first: before, claims }) => same(claims["sub"], before["sub"], "sub"),
  }),
  requirement({
    id: "session.hint-without-session",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "An ID token alone signs nobody in",
    needs,
    steps: async (t) => {
      const { tokens } = await signedIn(t)
      return t.authorize("web", { prompt: "none", id_token_hint: textOf(tokens.tokens["id_token"]) })
    },
    oracle: (authorized) => errorSent(authorized, ...errors),
  }),
  requirement({
    id: "session.hint-broken",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "SHOULD",
    title: "An id_token_hint that nobody signed is not believed",
    needs,
    steps: async (t) => {
      const { browser } = await signedIn(t)
      return t.authorize("web", { prompt: "none", id_token_hint: `${btoa('{"alg":"none"}')}.${btoa('{"sub":"somebody"}')}.` }, { browser })
    },
    oracle: (authorized) => errorSent(authorized, "invalid_request", ...errors),
  }),
  requirement({
    id: "session.claims-parameter",
    paragraph: "OpenID Connect Core §5.5",
    level: "MUST",
    title: "Claims that are asked for by name are delivered where they were asked for",
    needs: { ...needs, metadata: { claims_parameter_supported: true } },
    steps: async (t) => {
      const { tokens } = await t.tokens("web", {
        claims: JSON.stringify({ id_token: { email: null }, userinfo: { name: { essential: true } } }),
      })
      const [idToken, userinfo] = [await jwtOf(t, tokens["id_token"]), await t.userinfo(tokens["access_token"])]
      return { idToken: idToken.claims, userinfo: JSON.parse(userinfo.body) as Readonly<Record<string, unknown>> }
    },
    oracle: ({ idToken, userinfo }) =>
      first(
        holds("email" in idToken, "the ID token has no email"),
        holds("name" in userinfo, "userinfo has no name"),
        holds(!("name" in idToken), "the ID token has the name that was asked of userinfo"),
        holds(!("email" in userinfo), "userinfo has the email that was asked of the ID token"),
      ),
  }),
  requirement({
    id: "session.claims-form",
    paragraph: "OpenID Connect Core §5.5",
    level: "MUST",
    title: "Claims that are no JSON object are refused",
    needs: { ...needs, metadata: { claims_parameter_supported: true } },
    steps: (t) => t.authorize("web", { claims: "[" }),
    oracle: (authorized) => errorSent(authorized, "invalid_request"),
  }),
  requirement({
    id: "session.scope-order",
    paragraph: "RFC 6749 §3.3",
    level: "MUST",
    title: "The order of scopes does not matter",
    needs,
    steps: (t) => t.authorize("web", { scope: "email openid" }),
    oracle: (authorized) => answered(authorized, "code"),
  }),
  requirement({
    id: "session.other-browser",
    paragraph: "RFC 9700 §4.5.3",
    level: "MUST",
    title: "A session is of one browser: another is asked to sign in",
    needs,
    steps: async (t) => {
      await signedIn(t)
      return t.authorize("web", { prompt: "none" })
    },
    oracle: (authorized) => errorSent(authorized, ...errors),
  }),
  requirement({
    id: "session.wrong-password",
    paragraph: "OpenID Connect Core §3.1.2.3",
    level: "MUST",
    title: "A wrong password signs nobody in",
    needs,
    steps: (t) =>
      t.as({ username: t.target.person?.username ?? "", password: "wrong" }).authorize("web", {}, { choices: { "sign-in": "once" } }),
    oracle: ({ leaving, page, last }) =>
      first(
        holds(leaving === undefined && page !== undefined, "the browser was sent on"),
        holds(last.status < 500, `the status is ${last.status}`),
      ),
  }),
  ...(["sign-in", "consent"] as const).map((kind) =>
    requirement({
      id: `session.forged-${kind}`,
      paragraph: "RFC 6749 §10.12",
      level: "MUST",
      title: `A form of the ${kind} page that another site sends is not taken`,
      needs,
      steps: async (t: Steps) => {
        const way = { browser: t.browser(), choices: { [kind]: "forge" } } as const
        const authorized = await t.authorize("web", { prompt: kind === "consent" ? "consent" : "login" }, way)
        return authorized.met.includes(kind) ? authorized : undefined
      },
      oracle: (authorized: Authorized | undefined) =>
        authorized === undefined ? undefined : holds(authorized.params["code"] === undefined, "the form was taken, and a code came"),
    }),
  ),
]
