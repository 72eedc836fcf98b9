import {
  type Client,
  type DetailsAsked,
  type Device,
  type Grant,
  type Person,
  type Settings,
  refuse,
  deviceAnswers,
} from "../../model/index.ts"
import { detailsOf, familyOf, grantOfAnswer, grantRow, grantWithDetails, issueOfGrant, readPresented } from "../../issuance/index.ts"
import { issuedTo, keptGrant } from "../../rules/keptGrant.ts"
import { polledRules } from "../../rules/polled.ts"
import { table } from "../../rules/rule.ts"
import { deviceGrantType } from "./authorization.ts"

interface DeviceCodeSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly presented: string | undefined
  readonly resources: ReadonlyArray<string>
  readonly request: Device | undefined
  /** The grant of the person; undefined until they approved. */
  readonly granted: Grant | undefined
  readonly details: DetailsAsked
  readonly person: Person | undefined
}

const polling = {
  prefix: "device",
  cites: "RFC 8628 §3.5",
  called: "device code",
  poller: "device",
  page: "device",
  commands: deviceAnswers,
}

/** Device code grant: RFC 8628 §3.4, §3.5, specification §4 rule 7. */
const rules = table<DeviceCodeSeen>("token/device_code")
  .present("device.present", "RFC 8628 §3.4, specification §4 rule 7", "presented", () =>
    refuse("invalid_request", "The device_code is missing."),
  )
  .present("device.known", "RFC 6749 §5.2", "request", () =>
    refuse("invalid_grant", "The device code is not valid.", "no such device code, or not with this secret"),
  )
  .include(issuedTo("device.client", "RFC 8628 §3.4", { called: "device code", clientOf: (s) => s.request.clientId }))
  .through(polledRules(polling))
  .through(keptGrant("device", { grantOf: (s) => s.granted, cites: { scope: "RFC 8628 §3.4", resources: "RFC 8707 §2.2" } }))

/** Exchanges a device code for tokens once its person has approved it. */
export const deviceCode = grantWithDetails(
  deviceGrantType,
  grantRow
    .read(readPresented("device_code", "d", ({ tokens }) => tokens.findDevice))
    .read(grantOfAnswer)
    .read(detailsOf)
    .judge(rules)
    .decide((s, inquiry) =>
      issueOfGrant(s, { family: familyOf(s.client, s.scope, s.now), changes: [deviceAnswers.consume(s.request)] }, inquiry),
    ),
)
