import type { TrustedIssuer } from "@postern/core/grants"
import { ask, asking } from "../support/asking.ts"
import { peerIssuer, peerJwks, peerJwt } from "../support/peer.ts"
import type { Said } from "../support/visitor.ts"
import type { World, WorldOptions } from "../support/world.ts"
import { type Case, type Expectation, refused } from "./case.ts"
import { foreignJwtCases } from "./foreignJwt.ts"

const trusted: TrustedIssuer = { issuer: peerIssuer, jwks: peerJwks, audiences: ["our-name-there"] }

/** A world in which a directory may name people. */
const trusting = (more: Partial<TrustedIssuer> = {}): WorldOptions => asking({ loginHintTokenIssuers: [{ ...trusted, ...more }] })

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
  row("CIBA Core §13: so is one about nobody here", "ciba.person-known", async (w) => send(w, await peerJwt({ sub: "nobody" })), nobody),
  row(
    "CIBA Core §13: and one about a person who is disabled",
    "ciba.person-known",
    async (w) => send(w, await peerJwt({ sub: "sub-mallory" })),
    nobody,
  ),
]
