import { type Changes, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, same, shown } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { jwtOf } from "../steps/jwt.ts"
import { unsigned, withBrokenSignature } from "../steps/signed.ts"
import type { Authorized, Choices, Steps, Way } from "../steps/steps.ts"
import { answersWith, sendsError } from "./answer.ts"

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

/** Signs in, lets time pass, and signs in again in the same browser. Returns the claims of both ID tokens. */
const twice = async (t: Steps, changes: Changes, wait = 0) => {
  const { browser, idToken } = await signedIn(t)
  if (wait > 0) await t.target.pass?.(wait)
  return { first: idToken, ...(await again(t, changes, { browser })) }
}

type Twice = Awaited<ReturnType<typeof twice>>

const askedToSignIn = ({ met }: Twice): Finding => holds(met.includes("sign-in"), "nobody was asked to sign in")

const later = ({ first: { auth_time: before }, claims: { auth_time: after } }: Twice): Finding =>
  holds(Number(after) > Number(before), `auth_time is ${shown(after)} after ${shown(before)}`)

/** Signs in, lets time pass, and sends another authorization request in the same browser. */
const askedAgain = async (t: Steps, changes: Changes, wait = 0, choices: Choices = {}): Promise<Authorized> => {
  const { browser } = await signedIn(t)
  if (wait > 0) await t.target.pass?.(wait)
  return t.authorize("web", changes, { browser, choices })
}

/** Asks with a hint that is made of the right one, so that nothing else is wrong with it. */
const hinted = async (t: Steps, changed: (idToken: string, claims: Readonly<Record<string, unknown>>) => string): Promise<Authorized> => {
  const { browser, tokens, idToken } = await signedIn(t)
  const id_token_hint = changed(textOf(tokens.tokens["id_token"]), idToken)
  return t.authorize("web", { prompt: "none", id_token_hint }, { browser })
}

const tried = area("session", needs)
const overTime = area("session", inTime)
const byClaims = area("session", { ...needs, metadata: { claims_parameter_supported: true } })

const errors = ["login_required", "interaction_required", "account_selection_required", "consent_required"]

/** Sessions: prompt, max_age, id_token_hint (OpenID Connect Core §3.1.2). */
export const session: ReadonlyArray<Requirement> = [
  tried(
    "prompt-none",
    "OpenID Connect Core §3.1.2.1",
    "prompt=none with a session is answered without a page, for the same person",
    (t) => twice(t, { prompt: "none" }),
    ({ first: before, claims, met }) => first(same(met, [], "the pages"), same(claims["sub"], before["sub"], "sub")),
  ),
  tried(
    "prompt-login",
    "OpenID Connect Core §3.1.2.1",
    "prompt=login asks a person who has a session to sign in again",
    (t) => askedAgain(t, { prompt: "login" }, 0, { "sign-in": "stop" }),
    (authorized) => holds(authorized.leaving === undefined && authorized.page !== undefined, "the client was answered without a page"),
  ),
  overTime(
    "prompt-login-auth-time",
    "OpenID Connect Core §3.1.2.1",
    "After prompt=login auth_time is later",
    (t) => twice(t, { prompt: "login", max_age: "100000" }, 10),
    later,
  ),
  overTime(
    "max-age-over",
    "OpenID Connect Core §3.1.2.1",
    "A sign-in that is older than max_age is not enough",
    (t) => twice(t, { max_age: "60" }, 120),
    (seen) => first(askedToSignIn(seen), later(seen)),
  ),
  tried(
    "max-age-within",
    "OpenID Connect Core §3.1.2.1",
    "A sign-in that is younger than max_age is enough, and auth_time stays",
    (t) => twice(t, { max_age: "10000" }, 5),
    ({ first: before, claims, met }) =>
      first(holds(!met.includes("sign-in"), "a person was asked to sign in"), same(claims["auth_time"], before["auth_time"], "auth_time")),
  ),
  overTime(
    "max-age-zero",
    "OpenID Connect Core §3.1.2.1",
    "max_age=0 asks a person to sign in again",
    (t) => twice(t, { max_age: "0" }, 2),
    askedToSignIn,
  ),
  overTime(
    "max-age-none",
    "OpenID Connect Core §3.1.2.6",
    "prompt=none with a sign-in that is too old is answered with an error",
    (t) => askedAgain(t, { max_age: "60", prompt: "none" }, 120),
    sendsError(...errors),
  ),
  tried(
    "max-age-form",
    "OpenID Connect Core §3.1.2.1",
    "A max_age that is no number is refused",
    (t) => t.authorize("web", { max_age: "soon" }),
    sendsError("invalid_request"),
    "SHOULD",
  ),
  tried(
    "hint",
    "OpenID Connect Core §3.1.2.1",
    "prompt=none with the ID token of the person who has the session is answered",
    async (t) => {
      const { browser, tokens, idToken } = await signedIn(t)
      return { first: idToken, ...(await again(t, { prompt: "none", id_token_hint: textOf(tokens.tokens["id_token"]) }, { browser })) }
    },
    ({ first: before, claims }) => same(claims["sub"], before["sub"], "sub"),
  ),
  tried(
    "hint-without-session",
    "OpenID Connect Core §3.1.2.1",
    "An ID token alone signs nobody in",
    async (t) => {
      const { tokens } = await signedIn(t)
      return t.authorize("web", { prompt: "none", id_token_hint: textOf(tokens.tokens["id_token"]) })
    },
    sendsError(...errors),
  ),
  tried(
    "hint-broken",
    "OpenID Connect Core §3.1.2.1",
    "An id_token_hint that nobody signed is not believed",
    (t) => hinted(t, (_, claims) => unsigned(claims)),
    sendsError("invalid_request", ...errors),
    "SHOULD",
  ),
  tried(
    "hint-forged",
    "OpenID Connect Core §3.1.2.1",
    "An id_token_hint with a broken signature is not believed",
    (t) => hinted(t, withBrokenSignature),
    sendsError("invalid_request", ...errors),
    "SHOULD",
  ),
  byClaims(
    "claims-parameter",
    "OpenID Connect Core §5.5",
    "Claims that are asked for by name are delivered where they were asked for",
    async (t) => {
      const { tokens } = await t.tokens("web", {
        claims: JSON.stringify({ id_token: { email: null }, userinfo: { name: { essential: true } } }),
      })
      const [idToken, userinfo] = [await jwtOf(t, tokens["id_token"]), await t.userinfo(tokens["access_token"])]
      return { idToken: idToken.claims, userinfo: JSON.parse(userinfo.body) as Readonly<Record<string, unknown>> }
    },
    ({ idToken, userinfo }) =>
      first(
        holds("email" in idToken, "the ID token has no email"),
        holds("name" in userinfo, "userinfo has no name"),
        holds(!("name" in idToken), "the ID token has the name that was asked of userinfo"),
        holds(!("email" in userinfo), "userinfo has the email that was asked of the ID token"),
      ),
    // A requested claim may be omitted, essential or not (§5.5.1).
    "SHOULD",
  ),
  byClaims(
    "claims-form",
    "OpenID Connect Core §5.5",
    "Claims that are no JSON object are refused",
    (t) => t.authorize("web", { claims: "[" }),
    sendsError("invalid_request"),
  ),
  tried(
    "scope-order",
    "RFC 6749 §3.3",
    "The order of scopes does not matter",
    (t) => t.authorize("web", { scope: "email openid" }),
    answersWith("code"),
  ),
  tried(
    "other-browser",
    "RFC 9700 §4.5.3",
    "A session is of one browser: another is asked to sign in",
    async (t) => {
      await signedIn(t)
      return t.authorize("web", { prompt: "none" })
    },
    sendsError(...errors),
  ),
  tried(
    "wrong-password",
    "OpenID Connect Core §3.1.2.3",
    "A wrong password signs nobody in",
    (t) => t.as({ username: t.target.person?.username ?? "", password: "wrong" }).authorize("web", {}, { choices: { "sign-in": "once" } }),
    ({ leaving, page, last }) =>
      first(
        holds(leaving === undefined && page !== undefined, "the browser was sent on"),
        holds(last.status < 500, `the status is ${last.status}`),
      ),
  ),
  ...(["sign-in", "consent"] as const).map((kind) =>
    tried(
      `forged-${kind}`,
      "RFC 6749 §10.12",
      `A form of the ${kind} page that another site sends is not taken`,
      async (t: Steps) => {
        const way = { browser: t.browser(), choices: { [kind]: "forge" } } as const
        const authorized = await t.authorize("web", { prompt: kind === "consent" ? "consent" : "login" }, way)
        return authorized.met.includes(kind) ? authorized : undefined
      },
      (authorized: Authorized | undefined) =>
        authorized === undefined ? undefined : holds(authorized.params["code"] === undefined, "the form was taken, and a code came"),
    ),
  ),
]
