import * as Effect from "effect/Effect"
import { type Client, type Decision, type Device, type Settings, saveDevice } from "../../model/index.ts"
import { offlineAccess, refuse, scopeWords } from "../../model/index.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../../rules/form.ts"
import { addressRate, clientRate } from "../../rules/rate.ts"
import { judge, pass, rule, table } from "../../rules/rule.ts"
import { mayHave, scopeForm } from "../../rules/scope.ts"
import { shownUserCode, userCodeFrom } from "../../rules/userCode.ts"
import { authenticateClient } from "../../settle/client.ts"
import { takeOfAddress, takeOfClient } from "../../settle/rate.ts"
import { type Inquiry, digestOf, freshHandle } from "../../settle/request.ts"
import { isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

/** The grant type of the device flow (RFC 8628 §3.4). */
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

interface DeviceRequest {
  /** Undefined when no scope was asked for. */
  readonly scope: ReadonlyArray<string> | undefined
}

interface DeviceRequestSeen {
  readonly settings: Settings
  readonly client: Client
}

const byAddress = addressRate("device-authorization")

const byClient = clientRate("device-authorization")

/** How a device authorization request must look (RFC 8628 §3.1). */
const form = table<FormRequest, undefined>("device-authorization/form", [
  formEncoded("device-authorization"),
  parametersOnce("device-authorization"),
])

const request = table<DeviceRequest, DeviceRequestSeen>("device-authorization", [
  rule("device-authorization.grant-allowed", "RFC 8628 §3.1, RFC 6749 §5.2", (_, s) =>
    s.client.grantTypes.includes(deviceGrantType)
      ? pass
      : refuse("unauthorized_client", "The client may not use the device flow.", "not among the client's grant_types"),
  ),
  scopeForm("device-authorization"),
  rule("device-authorization.scope-allowed", "RFC 6749 §3.3", (q, s) =>
    (q.scope ?? []).every((name) => mayHave(s.settings, s.client, name))
      ? pass
      : refuse("invalid_scope", "A scope is unknown or not allowed for this client.", "asked for a scope outside the client's own"),
  ),
  rule("device-authorization.scope-some", "specification §2.3 scope", (q, s) =>
    q.scope === undefined && allowedScope(s).length === 0
      ? refuse("invalid_scope", "No scope is allowed for this client.", "no scope asked for, and the client has none")
      : pass,
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const deviceAuthorizationTables = [byAddress, form, byClient, request] as const

/** Every scope the client is explicitly allowed (specification §4 rule 8); `offline_access` only where it may have a refresh token. */
const allowedScope = ({ settings, client }: DeviceRequestSeen): ReadonlyArray<string> =>
  client.scope.filter((name) => mayHave(settings, client, name) && (name !== offlineAccess || client.grantTypes.includes("refresh_token")))

/** 34 bits of letters; drawn again in the rare case that too few bytes were fair. */
const freshUserCode = (inquiry: Inquiry): string => userCodeFrom(inquiry.ports.entropy.bytes(24)) ?? freshUserCode(inquiry)

const grantDevice = Effect.fnUntraced(function* (q: DeviceRequest, s: DeviceRequestSeen, inquiry: Inquiry) {
  const { ports, now } = inquiry
  const { deviceCode: lifetime, devicePollingInterval: interval } = s.client.lifetimes
  const code = yield* freshHandle(inquiry, "d")
  const userCode = freshUserCode(inquiry)
  const device: Device = {
    locator: code.locator,
    digest: code.digest,
    userCode: yield* userCodeDigest(userCode, inquiry),
    clientId: s.client.clientId,
    scope: q.scope ?? allowedScope(s),
    createdAt: now,
    expiresAt: now + lifetime,
    interval,
    polledAt: undefined,
    state: "pending",
    grantId: undefined,
    version: 0,
    keepUntil: now + lifetime + 600,
  }
  const { address, addressWithCode } = verificationUris(ports.settings.issuer, shownUserCode(userCode))
  return {
    _tag: "Reply",
    cacheable: false,
    commands: [saveDevice(device)],
    body: {
      device_code: code.value,
      user_code: shownUserCode(userCode),
      verification_uri: address,
      verification_uri_complete: addressWithCode,
      expires_in: lifetime,
      interval,
    },
  } satisfies Decision as Decision
})

/** Where a person enters a code, and the same with the code in it (RFC 8628 §3.2, §3.3.1). */
export const verificationUris = (issuer: string, userCode: string): { readonly address: string; readonly addressWithCode: string } => {
  const address = `${issuer.replace(/\/$/, "")}/device`
  return { address, addressWithCode: `${address}?user_code=${userCode}` }
}

/** The digest that a row keeps of a user code. */
export const userCodeDigest = (code: string, { ports }: Inquiry) => digestOf(ports, `postern user code ${code}`)

/** The device authorization endpoint: RFC 8628 §3.1, specification §2.3. */
export const deviceAuthorization: Endpoint = {
  name: "device-authorization",
  path: "/connect/deviceauthorization",
  methods: ["POST"],
  audience: "programs",
  cors: true,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { ports, trace } = inquiry
    const crowded = takeOfAddress("deviceAddress", inquiry)
    const rushed = crowded === undefined ? undefined : judge(trace, byAddress, undefined, { wait: crowded })
    if (rushed !== undefined) return { _tag: "RefuseJson", refusal: rushed } satisfies Decision as Decision
    const sent = { params: readParams(message.body), isForm: isForm(message.headers["content-type"]) }
    const malformed = judge(trace, form, sent, undefined)
    if (malformed !== undefined) return { _tag: "RefuseJson", refusal: malformed } satisfies Decision as Decision
    const { client, refusal } = yield* authenticateClient(message, sent.params, inquiry)
    if (client === undefined) return { _tag: "RefuseJson", refusal } satisfies Decision as Decision
    const taken = takeOfClient("deviceClient", client, inquiry)
    const hasty = taken === undefined ? undefined : judge(trace, byClient, undefined, { wait: taken })
    if (hasty !== undefined) return { _tag: "RefuseJson", refusal: hasty } satisfies Decision as Decision
    const scope = sent.params.one("scope")
    const q: DeviceRequest = { scope: scope === undefined ? undefined : scopeWords(scope) }
    const seen: DeviceRequestSeen = { settings: ports.settings, client }
    const unfit = judge(trace, request, q, seen)
    return unfit === undefined
      ? yield* grantDevice(q, seen, inquiry)
      : ({ _tag: "RefuseJson", refusal: unfit } satisfies Decision as Decision)
  }),
}
