import { type HintIssuer, authenticationRequests } from "@postern/core"
import type { TrustedIssuer } from "@postern/core/grants"
import type { Person } from "@postern/core/model"
import { ask, asking, decide, locatorOf } from "../support/asking.ts"
import { peerIssuer, peerJwks, peerJwt } from "../support/peer.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, issuer } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"
import { foreignJwtCases } from "./foreignJwt.ts"

const trusted: TrustedIssuer = { issuer: peerIssuer, jwks: peerJwks, audiences: ["our-name-there"] }

/** A world in which a directory may name people. */
const trusting = (more: Partial<HintIssuer> = {}): WorldOptions => asking({ loginHintTokenIssuers: [{ ...trusted, ...more }] })

const ids = { email: "alice@example.com", email_verified: true, phone_number: "+12065550100", phone_number_verified: true }

/** People whom an authenticator knows by their username, their address and their number, of which bob has verified none. */
const alice: Person = { subject: "sub-alice", username: "alice", active: true, claims: ids, tenant: null }
const bob: Person = { ...alice, subject: "sub-bob", username: "bob", claims: { email: "bob@example.com", email_verified: false } }

/** A world in which it may name them by those. */
const naming: WorldOptions = {
  ...trusting({ subjectIds: true }),
  authenticator: {
    find: (subject) => [alice, bob].find((each) => each.subject === subject),
    identify: (hint) => [alice, bob].find(({ username, claims }) => [username, claims["email"], claims["phone_number"]].includes(hint)),
  },
}

const send = (w: World, login_hint_token: string): Promise<Said> => ask(w, "till", { login_hint: undefined, login_hint_token })

const asked: Expectation = { status: 200, json: { expires_in: 300 } }
const nobody = refused("unknown_user_id", "The hint names nobody.")

const row = (title: string, rule: string | undefined, run: Case["run"], expect: Expectation, options = trusting()): Case => ({
  title,
  rule,
  options,
  run,
  expect,
})

/** Hints that are tokens of somebody who is trusted: CIBA Core §7.1, §13. */
export const cases: ReadonlyArray<Case> = [
  row(
    "CIBA Core §7.1: where no issuer is trusted, a login_hint_token is not taken",
    "ciba.login-hint-token",
    async (w) => send(w, await peerJwt()),
    refused("invalid_request", "A login_hint_token is not supported."),
    asking(),
  ),
  ...foreignJwtCases("ciba-hint", "login_hint_token", "invalid_request", trusting(), send, {
    endpoint: "/connect/ciba",
    expired: "expired_login_hint_token",
  }),
  row(
    "CIBA Core §7.1: a claim and a table may say whom it names",
    undefined,
    async (w) => send(w, await peerJwt({ sub: "them", employee: "e7" })),
    asked,
    trusting({ subjectClaim: "employee", subjects: { e7: "sub-bob" } }),
  ),
  row(
    "CIBA Core §13: one that names nobody of the table is unknown_user_id",
    "ciba-hint.jwt-subject-known",
    async (w) => send(w, await peerJwt()),
    refused("unknown_user_id", "The login_hint_token is not about a person known here."),
    trusting({ subjects: { e7: "sub-bob" } }),
  ),
  row(
    "OpenID Connect Core §2: one that tells of a sign-in tells of it in a sound form, though it stands for none here",
    "ciba-hint.jwt-sign-in",
    async (w) => send(w, await peerJwt({ acr: 7 })),
    refused("invalid_request", "The login_hint_token does not tell of a sign-in in a sound form."),
  ),
  row(
    "RFC 7523 §3 (7): one that has a jti leads to one request",
    "ciba-hint.unused",
    async (w) => {
      const hint = await peerJwt({ jti: "h1" })
      await send(w, hint)
      return send(w, hint)
    },
    refused("invalid_request", "The login_hint_token was used before."),
  ),
  row(
    "RFC 7523 §3 (7): and to as many as it likes where its issuer's may be used again",
    undefined,
    async (w) => {
      const hint = await peerJwt({ jti: "h1" })
      await send(w, hint)
      return send(w, hint)
    },
    asked,
    trusting({ reusable: true }),
  ),
  row(
    "RFC 7523 §3 (7): one without a jti cannot be told from another",
    undefined,
    async (w) => {
      await send(w, await peerJwt())
      return send(w, await peerJwt())
    },
    asked,
  ),
  row(
    "law 6: a request that is refused uses up no hint",
    "ciba.person-waiting",
    async (w) => {
      const hint = await peerJwt({ jti: "h1" })
      const taken = await ask(w)
      const refusedNow = await send(w, hint)
      w.pass(31)
      await decide(w, taken, "deny")
      const { status, json } = await send(w, hint)
      return { ...refusedNow, json: { first: refusedNow.status, second: status, life: json?.["expires_in"] } }
    },
    { status: 429, json: { first: 429, second: 200, life: 300 } },
    asking({ loginHintTokenIssuers: [trusted], mostWaiting: 1 }),
  ),
  row(
    "RFC 7519 §4.1.7: a jti that is no text of 1 to 256 characters is refused",
    "ciba-hint.jti-form",
    async (w) => send(w, await peerJwt({ jti: "x".repeat(257) })),
    refused("invalid_request", "The login_hint_token is not valid."),
  ),
  ...Object.entries({
    "a verified e-mail address": { format: "email", email: "alice@example.com" },
    "a verified telephone number": { format: "phone_number", phone_number: "+12065550100" },
    "a subject of this provider": { format: "iss_sub", iss: issuer, sub: "sub-alice" },
    "several that name one person": {
      format: "aliases",
      identifiers: [
        { format: "did", url: "did:example:123" },
        { format: "email", email: "alice@example.com" },
        { format: "iss_sub", iss: issuer, sub: "sub-alice" },
      ],
    },
  }).map(([title, sub_id]) =>
    row(
      `RFC 9493 §3.2, §4: a sub_id names a person by ${title}, without a sub`,
      undefined,
      async (w) => {
        const said = await send(w, await peerJwt({ sub: undefined, sub_id }))
        const kept = await w.tokens.find(authenticationRequests, { locator: locatorOf(said) })
        return { ...said, json: { subject: kept?.subject } }
      },
      { status: 200, json: { subject: "sub-alice" } },
      naming,
    ),
  ),
  ...Object.entries({
    "an address of nobody": { format: "email", email: "nobody@example.com" },
    "an address that was not verified": { format: "email", email: "bob@example.com" },
    "a username that is no address": { format: "email", email: "alice" },
    "a number that is none (ITU-T E.164)": { format: "phone_number", phone_number: "12065550100" },
    "a subject of another issuer": { format: "iss_sub", iss: "https://else.example", sub: "sub-alice" },
    "two people": {
      format: "aliases",
      identifiers: [
        { format: "iss_sub", iss: issuer, sub: "sub-bob" },
        { format: "email", email: "alice@example.com" },
      ],
    },
    "a list within a list (RFC 9493 §3.2.8)": {
      format: "aliases",
      identifiers: [{ format: "aliases", identifiers: [{ format: "iss_sub", iss: issuer, sub: "sub-alice" }] }],
    },
    "too many": { format: "aliases", identifiers: Array.from({ length: 6 }, () => ({ format: "iss_sub", iss: issuer, sub: "sub-alice" })) },
    "a format that is not known": { format: "opaque", id: "sub-alice" },
    "no object": "sub-alice",
  }).map(([title, sub_id]) =>
    row(
      `RFC 9493 §3.2: a sub_id of ${title} names nobody, whatever its sub says`,
      "ciba-hint.jwt-subject-known",
      async (w) => send(w, await peerJwt({ sub: "sub-alice", sub_id })),
      refused("unknown_user_id", "The login_hint_token is not about a person known here."),
      naming,
    ),
  ),
  row(
    "RFC 9493 §4: a sub_id counts only of an issuer that may name people so",
    "ciba-hint.jwt-subject-present",
    async (w) => send(w, await peerJwt({ sub: undefined, sub_id: { format: "iss_sub", iss: issuer, sub: "sub-alice" } })),
    refused("invalid_request", "The login_hint_token names no subject."),
  ),
  row("CIBA Core §13: so is one about nobody here", "ciba.person-known", async (w) => send(w, await peerJwt({ sub: "nobody" })), nobody),
  row(
    "CIBA Core §13: and one about a person who is disabled",
    "ciba.person-known",
    async (w) => send(w, await peerJwt({ sub: "sub-mallory" })),
    nobody,
  ),
]
