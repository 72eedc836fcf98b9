import { type JsonObject, type ProviderOptions, defaultFeatures, upstreamLogout } from "@postern/core"
import type { IdentityProvidersPort, TimerPort, UpstreamOutcome, UpstreamRequest } from "@postern/core/ports"
import { clientKey } from "./clientKeys.ts"
import { beginning, clients, issuer, type WorldOptions } from "./world.ts"
import type { Said, Visitor } from "./visitor.ts"

/** The other providers of a world. */
export const upstream: NonNullable<ProviderOptions["upstream"]> = Object.freeze([
  { name: "corp", displayName: "Corporation" },
  { name: "school", displayName: "School" },
])

/** Claims of a provider about somebody who signed in. */
export interface Vouching {
  readonly authTime?: number | undefined
  readonly claims?: JsonObject
  readonly amr?: ReadonlyArray<string>
  readonly acr?: string
}

const vouch = (provider: string, code: string, { authTime, claims = {}, amr = [], acr }: Vouching): UpstreamOutcome => {
  const [subject = code, sid] = code.split("~")
  return {
    _tag: "Identified",
    identity: { provider, issuer: `https://${provider}.example`, subject, claims, authTime, amr, acr, sid },
  }
}

/**
 * Providers that are told by the code whom to vouch for: `code=ann` is ann, `code=ann~s1` ann in her session s1. All but `school` send logout tokens. They believe an answer only with the nonce and the code
 * verifier that its attempt was begun with, as a real one would.
 */
export const fakeProviders = (vouching: Vouching = {}): IdentityProvidersPort => {
  const begun = new Map<string, UpstreamRequest>()
  return {
    begin: (request) => {
      begun.set(request.state, request)
      const { provider, redirectUri, state, loginHint = "", uiLocales = "", prompt, maxAge, acrValues } = request
      const asked = { redirect_uri: redirectUri, state, login_hint: loginHint, ui_locales: uiLocales, prompt: prompt.join(" ") }
      return `https://${provider}.example/authorize?${new URLSearchParams({ ...asked, max_age: String(maxAge ?? ""), acr_values: acrValues.join(" ") }).toString()}`
    },
    finish: ({ provider, redirectUri, params, state, nonce, codeVerifier }) => {
      const request = begun.get(state)
      const sent = Object.fromEntries(params)
      if (sent["error"] !== undefined) return { _tag: "Declined", denied: sent["error"] === "access_denied", reason: sent["error"] }
      const same = request?.nonce === nonce && request.codeVerifier === codeVerifier && request.redirectUri === redirectUri
      if (!same) return { _tag: "Declined", denied: false, reason: "not the nonce, verifier or redirect_uri it was begun with" }
      return vouch(provider, sent["code"] ?? "nobody", vouching)
    },
    password: ({ provider, username, password }) =>
      password.reveal() === `${provider} secret`
        ? vouch(provider, username, vouching)
        : { _tag: "Declined", denied: true, reason: "invalid_grant" },
    logoutKeys: async ({ provider }) =>
      provider === "school"
        ? undefined
        : {
            issuer: `https://${provider}.example`,
            clientId: "postern-there",
            algorithms: ["ES256"],
            keys: { keys: [(await clientKey("ES256", provider)).publicJwk] },
          },
  }
}

const code = { redirect_uris: ["https://app.example/cb"], scope: "openid profile email", require_consent: false }
const both = { identity_providers: ["corp", "school"] }

/** A world with other providers, and clients that allow them: `work` beside a password, `federated` and `corporate` in its place. */
export const withUpstream = (vouching: Vouching = {}, more: WorldOptions = {}): WorldOptions => ({
  ...more,
  clients: [
    ...clients,
    { client_id: "work", client_secret: "secret of work", ...code, ...both },
    { client_id: "outdated", client_secret: "secret of outdated", ...code, identity_providers: ["gone"] },
    { client_id: "usual", client_secret: "secret of usual", ...code, ...both, default_acr_values: ["idp:corp", "gold"] },
    { client_id: "federated", client_secret: "secret of federated", ...code, ...both, allow_local_login: false },
    { client_id: "corporate", client_secret: "secret of corporate", ...code, identity_providers: ["corp"], allow_local_login: false },
    {
      client_id: "ropc-work",
      client_secret: "secret of ropc-work",
      grant_types: ["password"],
      scope: "openid",
      identity_providers: ["corp"],
    },
    {
      client_id: "ropc-corporate",
      client_secret: "secret of ropc-corporate",
      grant_types: ["password"],
      scope: "openid",
      identity_providers: ["corp"],
      allow_local_login: false,
    },
    {
      client_id: "board",
      client_secret: "secret of board",
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
      response_types: [],
      scope: "openid",
      identity_providers: ["corp", "school"],
      allow_local_login: false,
    },
  ],
  more: { upstream, identityProviders: fakeProviders(vouching), ...more.more },
})

/** A sign-in there at the moment every world begins. */
export const fresh: Vouching = { authTime: beginning }

/** Comes back from another provider, as it sends the browser. */
export const comeBack = (visitor: Visitor, sent: Said, answer: Readonly<Record<string, string>> = { code: "ann" }): Promise<Said> =>
  visitor.get((sent.params["redirect_uri"] ?? "").slice(issuer.length), { state: sent.params["state"] ?? "", ...answer })

/** The same world, which takes logout tokens of other providers. */
export const withUpstreamLogout = (more: WorldOptions = {}): WorldOptions =>
  withUpstream({}, { ...more, more: { features: [...defaultFeatures, upstreamLogout()], ...more.more } })

/** Rings at once, whatever the time. */
export const ringingAtOnce: TimerPort = {
  start: (_, ring) => {
    queueMicrotask(ring)
    return () => undefined
  },
}
