import * as Effect from "effect/Effect"
import {
  type AccessHandle,
  type Client,
  type Command,
  type Decision,
  type Device,
  type FreshHandle,
  type Grant,
  type Person,
  type Settings,
  keepGrant,
  replaceDevice,
} from "../../model/index.ts"
import { distinct, readHandle, refuse } from "../../model/index.ts"
import { familyOf, firstTokens, keptFor } from "../../rules/firstTokens.ts"
import { grantedResources, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { findBy, freshAccess, freshHandle } from "../../settle/request.ts"
import { sidFor } from "../../settle/subject.ts"
import { defineGrant } from "../../issuance/defineGrant.ts"

interface DeviceCodeRequest {
  readonly deviceCode: string | undefined
  readonly resources: ReadonlyArray<string>
}

interface DeviceCodeSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly device: Device | undefined
  /** What the person granted; undefined until they did. */
  readonly grant: Grant | undefined
  readonly person: Person | undefined
  /** The session behind the grant as the client knows it. */
  readonly sid: string | undefined
  readonly accessHandle: AccessHandle
  readonly refreshHandle: FreshHandle
}

/** How much longer a device must wait after each poll that came too soon, in seconds (RFC 8628 §3.5). */
const slower = 5

const polled = ({ device, now }: DeviceCodeSeen, more = 0): Command => {
  const before = held(device)
  return replaceDevice({ ...before, polledAt: now, interval: before.interval + more, version: before.version + 1 })
}

/** The granted scopes, as far as the client may still have them. */
const remaining = ({ grant, settings, client }: DeviceCodeSeen): ReadonlyArray<string> =>
  held(grant).scope.filter((name) => mayHave(settings, client, name))

/** Device code grant: RFC 8628 §3.4, §3.5, specification §4 rule 7. */
const rules = table<DeviceCodeRequest, DeviceCodeSeen>("token/device_code", [
  rule("device.present", "RFC 8628 §3.4, specification §4 rule 7", (q) =>
    q.deviceCode === undefined ? refuse("invalid_request", "The device_code is missing.") : pass,
  ),
  rule("device.known", "RFC 6749 §5.2", (_, s) =>
    s.device === undefined
      ? refuse("invalid_grant", "The device code is not valid.", "no such device code, or not with this secret")
      : pass,
  ),
  rule("device.client", "RFC 8628 §3.4", (_, s) =>
    held(s.device).clientId === s.client.clientId
      ? pass
      : refuse("invalid_grant", "The device code is not valid.", "the device code was issued to another client"),
  ),
  rule("device.unused", "RFC 8628 §3.5", (_, s) =>
    held(s.device).state === "consumed" ? refuse("invalid_grant", "The device code has been used.", "it gave its tokens before") : pass,
  ),
  rule("device.fresh", "RFC 8628 §3.5", (_, s) =>
    s.now < held(s.device).expiresAt ? pass : refuse("expired_token", "The device code has expired.", "expired"),
  ),
  rule("device.unhurried", "RFC 8628 §3.5", (_, s) => {
    const { polledAt, interval } = held(s.device)
    return polledAt === undefined || s.now >= polledAt + interval
      ? pass
      : refuse(
          "slow_down",
          "The device polls too fast.",
          `polled ${s.now - polledAt} s after the last time, the interval is ${interval} s`,
          polled(s, slower),
        )
  }),
  rule("device.not-denied", "RFC 8628 §3.5", (_, s) =>
    held(s.device).state === "denied" ? refuse("access_denied", "The person did not allow it.", "denied on the device page") : pass,
  ),
  rule("device.approved", "RFC 8628 §3.5", (_, s) =>
    held(s.device).state === "pending"
      ? refuse("authorization_pending", "The person has not answered yet.", "nobody has approved or denied it", polled(s))
      : pass,
  ),
  rule("device.grant-live", "RFC 6749 §5.2", (_, s) =>
    s.grant?.revokedAt === undefined && s.grant !== undefined
      ? pass
      : refuse("invalid_grant", "The authorization has been revoked.", "the grant was revoked, or is gone"),
  ),
  rule("device.scope-left", "RFC 8628 §3.4", (_, s) =>
    remaining(s).length > 0
      ? pass
      : refuse("invalid_grant", "No granted scope is left.", "the client was since taken every scope that the grant holds"),
  ),
  resourceForm("device"),
  resourceAmong("device", "RFC 8707 §2.2", (_, s) => grantedResources(s.settings, held(s.grant))),
  rule("device.person-active", "RFC 6749 §5.2", (_, s) =>
    s.person?.active === true
      ? pass
      : refuse(
          "invalid_grant",
          "The person can no longer sign in.",
          s.person === undefined ? "the person is gone" : "the person is disabled",
        ),
  ),
])

/** Exchanges a device code, once its person has approved it, for tokens. */
export const deviceCode = defineGrant<DeviceCodeRequest, DeviceCodeSeen>({
  grantType: "urn:ietf:params:oauth:grant-type:device_code",
  rules,
  parse: (params) => ({ deviceCode: params.one("device_code"), resources: distinct(params.all("resource")) }),
  load: Effect.fnUntraced(function* (q, client, inquiry) {
    const { ports, now } = inquiry
    const device = yield* findBy(ports, readHandle("d", q.deviceCode), ports.tokens.findDevice, (row) => row.digest)
    const grant = device?.grantId === undefined ? undefined : yield* ports.tokens.findGrant(device.grantId)
    inquiry.about.subject = grant?.subject
    return {
      settings: ports.settings,
      now,
      client,
      device,
      grant,
      person: grant === undefined ? undefined : yield* ports.authenticator.find(grant.subject),
      sid: yield* sidFor(client, grant?.sessionId, inquiry),
      accessHandle: yield* freshAccess(inquiry, client),
      refreshHandle: yield* freshHandle(inquiry, "r"),
    }
  }),
  grant: (q, s): Decision => {
    const { now, client } = s
    const device = held(s.device)
    const grant = held(s.grant)
    const scope = remaining(s)
    const family = familyOf(client, scope, now)
    const { commands, ...first } = firstTokens({ ...s, grant, person: held(s.person), scope, resources: q.resources, family })
    return {
      _tag: "IssueTokens",
      ...first,
      commands: [
        keepGrant(grant.id, keptFor(client, now, family)),
        replaceDevice({ ...device, state: "consumed", version: device.version + 1 }),
        ...commands,
      ],
    }
  },
})
