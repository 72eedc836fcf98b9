import { type PageRefusal, invalidPage, toPage } from "../../rules/page.ts"
import { table } from "../../rules/rule.ts"
import { readUserCode, shownUserCode } from "../../rules/userCode.ts"
import { type Asked, endpoint } from "../../settle/endpoint.ts"
import { show } from "../../settle/pages.ts"
import { devicePath } from "../../settle/ownPlaces.ts"
import { row } from "../../settle/stage.ts"
import { readParams } from "../../wire/index.ts"
import { verificationUris } from "./authorization.ts"

/** Checks the form of a code that is drawn. No device is looked up for it, so that a request learns nothing about the code. */
const rules = table<{ readonly code: string | undefined }, PageRefusal>("device/qr").present(
  "device-qr.code-form",
  "RFC 8628 §3.3.1",
  "code",
  () => invalidPage("request_invalid", "The user_code is missing or not one.", "no user_code of eight letters"),
)

/** Shows `verification_uri_complete` as a QR code, for a device whose screen can show a web page (RFC 8628 §3.3.1). */
export const deviceQr = endpoint(
  { name: "device-qr", path: `${devicePath}/qr`, methods: ["GET"], audience: "people", cors: false },
  row<Asked, PageRefusal>(toPage)
    .read(({ message }) => ({ code: readUserCode(readParams(message.query).one("user_code")) }))
    .judge(rules)
    .decide(({ code }, { ports }) => {
      const userCode = shownUserCode(code)
      const addresses = verificationUris(ports.settings.issuer, userCode)
      return show({ _tag: "DeviceQr", form: { action: devicePath, hidden: [["user_code", userCode]] }, userCode, ...addresses }, [])
    }),
)
