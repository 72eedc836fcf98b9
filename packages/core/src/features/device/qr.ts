import * as Effect from "effect/Effect"
import type { Decision } from "../../model/index.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { held, judge, pass, rule, table } from "../../rules/rule.ts"
import { readUserCode, shownUserCode } from "../../rules/userCode.ts"
import { readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { verificationUris } from "./authorization.ts"

/** What a code must look like to be drawn. Whether a device waits with it is not looked up: who shows a code learns nothing about it. */
const rules = table<{ readonly code: string | undefined }, undefined, PageRefusal>("device/qr", [
  rule("device-qr.code-form", "RFC 8628 §3.3.1", (q) =>
    q.code === undefined
      ? refusePage("request_invalid", 400, "invalid_request", "The user_code is missing or not one.", "no user_code of eight letters")
      : pass,
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const deviceQrTables = [rules] as const

/** Shows `verification_uri_complete` as a QR code, for a device whose screen can show a web page (RFC 8628 §3.3.1). */
export const deviceQr: Endpoint = {
  name: "device-qr",
  path: "/device/qr",
  methods: ["GET"],
  audience: "people",
  cors: false,
  attempt: (message, inquiry) => {
    const code = readUserCode(readParams(message.query).one("user_code"))
    const refusal = judge(inquiry.trace, rules, { code }, undefined)
    if (refusal !== undefined) return Effect.succeed(toPage(refusal))
    const userCode = shownUserCode(held(code))
    const { address, addressWithCode } = verificationUris(inquiry.ports.settings.issuer, userCode)
    return Effect.succeed<Decision>({
      _tag: "Show",
      status: 200,
      cookies: [],
      commands: [],
      page: { _tag: "DeviceQr", form: { action: "/device", hidden: [["user_code", userCode]] }, userCode, address, addressWithCode },
    })
  },
}
