import { ruleTables } from "@postern/core"
import type { Fault } from "./fault.ts"

/** The rules that are switched off, each by itself, and the areas that should notice. */
const off: Readonly<Record<string, ReadonlyArray<string>>> = {
  authorize: [
    "authorize.redirect-uri-present",
    "authorize.redirect-uri-registered",
    "authorize.parameters-once",
    "authorize.registration-unsupported",
    "authorize.response-type-known",
    "authorize.response-type-allowed",
    "authorize.response-mode-known",
    "authorize.prompt-none-alone",
    "authorize.pushed-request-required",
  ],
  response: ["authorize.response-mode-query", "authorize.nonce-required"],
  pkce: ["authorize.challenge-required", "authorize.challenge-plain-allowed", "authorize.challenge-form"],
  session: ["authorize.max-age-form", "authorize.claims-form", "authorize.id-token-hint", "login.verified", "login.csrf", "consent.csrf"],
  "request-object": [
    "request-object.algorithm",
    "request-object.client",
    "request-object.nested",
    "request-object.issuer",
    "request-object.audience",
    "request-object.expired",
    "request-object.not-before",
  ],
  pushed: ["pushed-request.client", "pushed-request.fresh"],
  logout: ["end-session.redirect-uri-registered"],
  client: [
    "client.one-method",
    "client.same-id",
    "client.secret-present",
    "client.secret-matches",
    "client.method",
    "assertion.issuer",
    "assertion.audience",
    "assertion.fresh",
    "assertion.not-before",
    "assertion.signature",
    "assertion.jti",
  ],
  token: ["token.parameters-once", "token.grant-type-allowed"],
  code: ["code.client", "code.fresh", "code.redirect-uri", "code.pkce-proof"],
  refresh: ["refresh.fresh", "refresh.client", "refresh.unrotated", "refresh.scope-narrows"],
  device: ["device.fresh", "device.unhurried", "device.approved"],
  password: ["password.verified", "password.password-present"],
  registration: [
    "register.json",
    "registration.redirect-uris",
    "registration.redirect-uris-present",
    "registration.keys-once",
    "registration.keys",
  ],
  "manage-registration": ["manage-registration.client-id", "manage-registration.secret", "manage-registration.own-client"],
  "mutual-tls": ["mutual-tls.own-certificate", "userinfo.token-bearer"],
  "id-jag": ["id-jag.subject-client", "id-jag.subject-fresh"],
  "id-jag-bearer": [
    "id-jag-bearer.jwt-type",
    "id-jag-bearer.jwt-fresh",
    "id-jag-bearer.audience-one",
    "id-jag-bearer.client",
    "id-jag-bearer.jti-present",
    "id-jag-bearer.confirmation",
  ],
  userinfo: ["userinfo.token-fresh"],
  revocation: ["revocation.token-own"],
  introspection: ["introspection.visible", "introspection.live"],
}

const paragraphs = new Map(ruleTables.flatMap(({ rules }) => rules.map(({ id, cites }) => [id, cites] as const)))

/** Rules that are switched off. */
export const ruleFaults: ReadonlyArray<Fault> = Object.entries(off).flatMap(([area, rules]) =>
  rules.map((rule) => ({
    id: `rule.${rule.replaceAll(".", "-")}`,
    title: `does without its rule ${rule}`,
    paragraph: paragraphs.get(rule) ?? "",
    near: [area],
    alteration: { options: (options) => ({ ...options, rulesOff: [...(options.rulesOff ?? []), rule] }) },
  })),
)
