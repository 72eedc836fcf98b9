import {
  type Client,
  type Command,
  type DetailsAsked,
  type Device,
  type Grant,
  type Person,
  type Settings,
  readHandle,
  refuse,
  consumeDevice,
  pollDevice,
} from "../../model/index.ts"
import { onward, mapped, together } from "../../ports/steps.ts"
import { detailsOf, familyOf, grantRow, grantWithDetails, issueTokens } from "../../issuance/index.ts"
import { detailsFields, detailsForm, detailsGiven, detailsLeft, detailsNarrow, detailsType } from "../../rules/details/index.ts"
import { grantedResources, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { findBy } from "../../settle/request.ts"

interface DeviceCodeSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly deviceCode: string | undefined
  readonly resources: ReadonlyArray<string>
  readonly device: Device | undefined
  /** The grant of the person; undefined until they approved. */
  readonly granted: Grant | undefined
  readonly details: DetailsAsked
  readonly person: Person | undefined
}

/** The time that a device must wait longer after each poll that came too soon, in seconds (RFC 8628 §3.5). */
const slower = 5

const polled = (device: Device, now: number, more = 0): Command => pollDevice(device, now, device.interval + more)

/** Device code grant: RFC 8628 §3.4, §3.5, specification §4 rule 7. */
const rules = table<DeviceCodeSeen>("token/device_code")
  .present("device.present", "RFC 8628 §3.4, specification §4 rule 7", "deviceCode", () =>
    refuse("invalid_request", "The device_code is missing."),
  )
  .present("device.known", "RFC 6749 §5.2", "device", () =>
    refuse("invalid_grant", "The device code is not valid.", "no such device code, or not with this secret"),
  )
  .rule("device.client", "RFC 8628 §3.4", (s) =>
    s.device.clientId === s.client.clientId
      ? pass
      : refuse("invalid_grant", "The device code is not valid.", "the device code was issued to another client"),
  )
  .rule("device.unused", "RFC 8628 §3.5", (s) =>
    s.device.state === "consumed" ? refuse("invalid_grant", "The device code has been used.", "it gave its tokens before") : pass,
  )
  .rule("device.fresh", "RFC 8628 §3.5", (s) =>
    s.now < s.device.expiresAt ? pass : refuse("expired_token", "The device code has expired.", "expired"),
  )
  .rule("device.unhurried", "RFC 8628 §3.5", ({ device, device: { polledAt, interval }, now }) =>
    polledAt === undefined || now >= polledAt + interval
      ? pass
      : refuse(
          "slow_down",
          "The device polls too fast.",
          `polled ${now - polledAt} s after the last time, the interval is ${interval} s`,
          polled(device, now, slower),
        ),
  )
  .rule("device.not-denied", "RFC 8628 §3.5", (s) =>
    s.device.state === "denied" ? refuse("access_denied", "The person did not allow it.", "denied on the device page") : pass,
  )
  .rule("device.approved", "RFC 8628 §3.5", (s) =>
    s.device.state === "pending"
      ? refuse("authorization_pending", "The person has not answered yet.", "nobody has approved or denied it", polled(s.device, s.now))
      : pass,
  )
  .establish("device.grant-live", "RFC 6749 §5.2", ({ granted }) =>
    granted !== undefined && granted.revokedAt === undefined
      ? prove({ granted })
      : refuse("invalid_grant", "The authorization has been revoked.", "the grant was revoked, or is gone"),
  )
  .include(detailsForm("device"))
  .include(detailsType("device"))
  .include(detailsFields("device"))
  .include(detailsNarrow("device", (s) => detailsLeft(s.granted.authorizationDetails, s.settings, s.client)))
  .establish("device.scope-left", "RFC 8628 §3.4", ({ granted, settings, client, details }) => {
    const scope = granted.scope.filter((name) => mayHave(settings, client, name))
    const authorizationDetails = detailsGiven(granted, details, settings, client)
    return scope.length > 0 || (authorizationDetails ?? []).length > 0
      ? prove({ scope, authorizationDetails })
      : refuse("invalid_grant", "No granted scope is left.", "every granted scope has since been withdrawn from the client")
  })
  .include(resourceForm("device"))
  .include(resourceAmong("device", "RFC 8707 §2.2", (s) => grantedResources(s.settings, s.granted)))
  .establish("device.person-active", "RFC 6749 §5.2", ({ person }) =>
    person?.active === true
      ? prove({ person })
      : refuse(
          "invalid_grant",
          "The person can no longer sign in.",
          person === undefined ? "the person is gone" : "the person is disabled",
        ),
  )

/** Exchanges a device code, once its person has approved it, for tokens. */
export const deviceCode = grantWithDetails(
  "urn:ietf:params:oauth:grant-type:device_code",
  grantRow
    .read(({ params }, { ports }) => {
      const presented = params.one("device_code")
      return mapped(
        findBy(ports, readHandle("d", presented), ports.tokens.findDevice, ({ digest }) => digest),
        (device) => ({ deviceCode: presented, device }),
      )
    })
    .read(({ device }, { ports }) => {
      if (device?.grantId === undefined) return { granted: undefined, person: undefined }
      return onward(ports.tokens.findGrant(device.grantId), (granted) =>
        together({
          granted,
          person: granted && ports.authenticator.find(granted.subject),
          about: { subject: granted?.subject },
        }),
      )
    })
    .read(detailsOf)
    .judge(rules)
    .decide(({ client, device, granted, person, scope, authorizationDetails, resources, now }, inquiry) =>
      issueTokens(
        {
          client,
          whose: { _tag: "KeptGrant", person, grant: granted },
          scope,
          resources,
          authorizationDetails,
          accessToken: true,
          idToken: { nonce: granted.nonce },
          family: familyOf(client, scope, now),
          changes: [consumeDevice(device)],
        },
        inquiry,
      ),
    ),
)
