import type * as Effect from "effect/Effect"
import { type Client, type DetailsAsked, type Device, type Settings, offlineAccess, refuse, saveDevice } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { together } from "../../ports/steps.ts"
import { detailsParameter, soundDetails } from "../../rules/details/index.ts"
import { readDetails } from "../../rules/details/known.ts"
import { pass, table } from "../../rules/rule.ts"
import { askedScope, mayHave, scopeAllowed, scopeForm } from "../../rules/scope.ts"
import { shownUserCode, userCodeFrom } from "../../rules/userCode.ts"
import { proofsJudged } from "../../settle/confirmation.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { limitedForm } from "../../settle/limitedForm.ts"
import { devicePath } from "../../settle/ownPlaces.ts"
import { type Inquiry, digestOf, freshHandle } from "../../settle/request.ts"

/** The grant type of the device flow (RFC 8628 §3.4). */
export const deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

interface DeviceRequest {
  /** Undefined if no scope was requested. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly settings: Settings
  readonly client: Client
  readonly details: DetailsAsked
}

/** Judges a device authorization request (RFC 8628 §3.1). */
const request = table<DeviceRequest>("device-authorization")
  .rule("device-authorization.grant-allowed", "RFC 8628 §3.1, RFC 6749 §5.2", ({ client }) =>
    client.grantTypes.includes(deviceGrantType)
      ? pass
      : refuse("unauthorized_client", "The client may not use the device flow.", "not among the client's grant_types"),
  )
  .include(scopeForm("device-authorization"))
  .include(scopeAllowed("device-authorization"))
  .through(soundDetails("device-authorization"))
  .rule("device-authorization.scope-some", "specification §2.3 scope", (s) =>
    s.scope === undefined && !s.details.sent && allowedScope(s).length === 0
      ? refuse("invalid_scope", "No scope is allowed for this client.", "no scope asked for, and the client has none")
      : pass,
  )

/**
 * Every scope that the client is explicitly allowed (specification §4 rule 8), with `offline_access` only if it may have a refresh token.
 */
const allowedScope = ({ settings, client }: DeviceRequest): ReadonlyArray<string> =>
  client.scope.filter((name) => mayHave(settings, client, name) && (name !== offlineAccess || client.grantTypes.includes("refresh_token")))

/** Makes a code of letters with 34 bits of entropy. It draws again in the rare case that too few bytes could be used without bias. */
const freshUserCode = (inquiry: Inquiry): string => userCodeFrom(inquiry.ports.entropy.bytes(24)) ?? freshUserCode(inquiry)

/** The page on which a person enters a code, and the same page with the code filled in (RFC 8628 §3.2, §3.3.1). */
export const verificationUris = (issuer: string, userCode: string): { readonly address: string; readonly addressWithCode: string } => {
  const address = `${issuer.replace(/\/$/, "")}${devicePath}`
  return { address, addressWithCode: `${address}?user_code=${userCode}` }
}

/** The digest of a user code that a row stores. */
export const userCodeDigest = (code: string, { ports }: Inquiry): Effect.Effect<string, PortFailed> =>
  digestOf(ports, `postern user code ${code}`)

/** The device authorization endpoint: RFC 8628 §3.1, specification §2.3. */
export const deviceAuthorization = endpoint(
  { name: "device-authorization", path: "/connect/deviceauthorization", methods: ["POST"], audience: "programs", cors: true },
  limitedForm("device-authorization", { address: "deviceAddress", client: "deviceClient" })
    .through(proofsJudged)
    .read(({ params, client }, { ports: { settings }, now }) => ({
      settings,
      now,
      scope: askedScope(params),
      details: readDetails(params.one(detailsParameter), settings, client),
    }))
    .judge(request)
    .read((_, inquiry) => {
      const userCode = freshUserCode(inquiry)
      return together({ userCode, userCodeDigest: userCodeDigest(userCode, inquiry), handle: freshHandle(inquiry, "d") })
    })
    .decide((s) => {
      const { handle, settings, client, now } = s
      const { deviceCode: lifetime, devicePollingInterval: interval } = client.lifetimes
      const device: Device = {
        locator: handle.locator,
        digest: handle.digest,
        userCode: s.userCodeDigest,
        clientId: client.clientId,
        // Details without a scope request nothing else.
        scope: s.scope ?? (s.details.sent ? [] : allowedScope(s)),
        authorizationDetails: s.details.sent ? s.details.details : undefined,
        createdAt: now,
        expiresAt: now + lifetime,
        interval,
        polledAt: undefined,
        state: "pending",
        grantId: undefined,
        version: 0,
        keepUntil: now + lifetime + 600,
      }
      const userCode = shownUserCode(s.userCode)
      const { address, addressWithCode } = verificationUris(settings.issuer, userCode)
      const body = {
        device_code: handle.value,
        user_code: userCode,
        verification_uri: address,
        verification_uri_complete: addressWithCode,
        expires_in: lifetime,
        interval,
      }
      return { _tag: "Reply", cacheable: false, commands: [saveDevice(device)], body }
    }),
)
