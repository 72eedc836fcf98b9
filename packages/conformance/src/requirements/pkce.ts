import { refuses, success } from "../oracle/finding.ts"
import { type Requirement, area } from "../requirement/requirement.ts"
import { noCodeBut } from "./answer.ts"

const needs = { clients: ["public"], person: true } as const

const tried = area("pkce", needs)

const atAuthorize = (
  id: string,
  paragraph: string,
  title: string,
  changes: Readonly<Record<string, string | undefined>>,
  level: Requirement["level"] = "MUST",
): Requirement => tried(id, paragraph, title, (t) => t.authorize("public", changes), noCodeBut("invalid_request"), level)

const wrong = refuses("invalid_grant", "invalid_request")

/** A code that is redeemed with a wrong verifier. */
const withVerifier = (id: string, paragraph: string, title: string, verifier: string | undefined): Requirement =>
  tried(id, paragraph, title, async (t) => t.redeem("public", await t.code("public"), { code_verifier: verifier }), wrong)

/** PKCE of clients without a secret (RFC 7636, RFC 9700 §2.1.1). */
export const pkce: ReadonlyArray<Requirement> = [
  atAuthorize("required", "RFC 9700 §2.1.1", "A client without a secret must send a challenge", {
    code_challenge: undefined,
    code_challenge_method: undefined,
  }),
  atAuthorize("method-unknown", "RFC 7636 §4.4.1", "An unknown method is refused", { code_challenge_method: "S512" }),
  atAuthorize("challenge-short", "RFC 7636 §4.2", "A challenge that is too short is refused", { code_challenge: "short" }),
  atAuthorize("challenge-long", "RFC 7636 §4.2", "A challenge that is too long is refused", { code_challenge: "a".repeat(129) }),
  atAuthorize("challenge-form", "RFC 7636 §4.2", "A challenge of other characters is refused", { code_challenge: `${"a".repeat(42)}+` }),
  atAuthorize("challenge-empty", "RFC 9700 §2.1.1", "An empty challenge is no challenge", { code_challenge: "" }),
  atAuthorize("plain", "RFC 9700 §2.1.1", "The method plain is refused", { code_challenge_method: "plain" }, "SHOULD"),
  atAuthorize(
    "method-default",
    "RFC 9700 §2.1.1",
    "A challenge without a method would be plain, and is refused",
    { code_challenge_method: undefined },
    "SHOULD",
  ),
  tried(
    "right",
    "RFC 7636 §4.6",
    "A code is redeemed with the verifier of its challenge",
    async (t) => t.redeem("public", await t.code("public")),
    success,
  ),
  withVerifier("missing", "RFC 7636 §4.6", "A code is not redeemed without a verifier", undefined),
  withVerifier("empty", "RFC 7636 §4.6", "An empty verifier is no verifier", ""),
  tried(
    "other",
    "RFC 7636 §4.6",
    "Another verifier is refused",
    async (t) => t.redeem("public", await t.code("public"), { code_verifier: t.random(32) }),
    refuses("invalid_grant"),
  ),
  tried(
    "case",
    "RFC 7636 §4.6",
    "A verifier in another case is refused",
    async (t) => {
      const authorized = await t.code("public")
      const turned = authorized.verifier
        .split("")
        .map((each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
        .join("")
      return t.redeem("public", authorized, { code_verifier: turned })
    },
    wrong,
  ),
  tried(
    "challenge-as-verifier",
    "RFC 7636 §4.6",
    "The challenge itself is no verifier",
    async (t) => {
      const authorized = await t.code("public")
      return t.redeem("public", authorized, { code_verifier: authorized.asked.find(([name]) => name === "code_challenge")?.[1] })
    },
    wrong,
  ),
  withVerifier("short-verifier", "RFC 7636 §4.1", "A verifier of fewer than 43 characters is refused", "short"),
  tried(
    "downgrade",
    "RFC 9700 §4.8.2",
    "A verifier for a code that had no challenge is refused",
    async (t) => {
      const authorized = await t.authorize("web", { code_challenge: undefined, code_challenge_method: undefined })
      const { code } = authorized.params
      return code === undefined ? undefined : t.redeem("web", { ...authorized, code })
    },
    (received) => (received === undefined ? undefined : wrong(received)),
    "MUST",
    { clients: ["web"], person: true },
  ),
]
