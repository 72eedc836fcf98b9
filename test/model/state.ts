import type { ClientMetadata } from "@postern/core"

/** The clients of the model. Each is another mix: form of access token, grace, absolute end, way to authenticate. */
export const clientIds = ["web", "opaque", "spa"] as const
export type ClientId = (typeof clientIds)[number]

/** The model's view of a client: lifetimes in seconds, small enough that time passing matters. */
export interface ClientModel {
  readonly code: number
  readonly access: number
  readonly sliding: number
  /** 0 slides without end. */
  readonly absolute: number
  readonly grace: number
  readonly jwt: boolean
}

export const clientModels: Readonly<Record<ClientId, ClientModel>> = {
  web: { code: 60, access: 100, sliding: 200, absolute: 500, grace: 30, jwt: true },
  opaque: { code: 60, access: 150, sliding: 200, absolute: 0, grace: 0, jwt: false },
  spa: { code: 20, access: 40, sliding: 300, absolute: 300, grace: 10, jwt: false },
}

export const allScopes = ["openid", "profile", "api.read", "offline_access"]

/** The same clients as they are registered. */
export const clientMetadata: ReadonlyArray<ClientMetadata> = clientIds.map((client_id) => {
  const { code, access, sliding, absolute, grace, jwt } = clientModels[client_id]
  return {
    client_id,
    ...(client_id === "spa" ? { token_endpoint_auth_method: "none" as const } : { client_secret: `secret of ${client_id}` }),
    grant_types: ["authorization_code", "refresh_token"],
    redirect_uris: ["https://app.example/cb"],
    scope: allScopes.join(" "),
    require_consent: false,
    access_token_format: jwt ? "jwt" : "reference",
    authorization_code_lifetime: code,
    access_token_lifetime: access,
    refresh_token_sliding_lifetime: sliding,
    refresh_token_absolute_lifetime: absolute,
    refresh_token_grace: grace,
  }
})

/** Name of a handle in the model: its kind, and the number of the operation that made it. */
export type Name = string

/** Operation on the provider, one at a time. `id` names what it makes. */
export type Operation =
  | { readonly tag: "grant"; readonly id: number; readonly client: ClientId; readonly scope: ReadonlyArray<string> }
  | {
      readonly tag: "redeem"
      readonly id: number
      readonly code: Name
      readonly client: ClientId
      readonly proof: "right" | "wrong verifier" | "wrong redirect_uri"
    }
  | {
      readonly tag: "refresh"
      readonly id: number
      readonly token: Name
      readonly client: ClientId
      readonly scope: ReadonlyArray<string> | undefined
    }
  | { readonly tag: "revoke"; readonly token: Name; readonly client: ClientId }
  | { readonly tag: "withdraw"; readonly client: ClientId }
  | { readonly tag: "end session" }
  | { readonly tag: "enable"; readonly active: boolean }
  | { readonly tag: "pass"; readonly seconds: number }
  | { readonly tag: "sweep" }
  | { readonly tag: "introspect"; readonly token: Name; readonly client: ClientId }
  | { readonly tag: "userinfo"; readonly token: Name }

/** Outcome of an operation. The model tells it in names, the provider in values. */
export type Outcome =
  | { readonly tag: "code"; readonly code: string }
  | { readonly tag: "tokens"; readonly access: string; readonly refresh: string | undefined; readonly scope: ReadonlyArray<string> }
  | { readonly tag: "refused"; readonly status: number; readonly error: string }
  | { readonly tag: "active"; readonly active: boolean }
  | { readonly tag: "claims" }
  | { readonly tag: "done" }

export interface GrantModel {
  readonly client: ClientId
  readonly scope: ReadonlyArray<string>
  readonly session: number
  readonly revoked: boolean
}

export interface CodeModel {
  readonly grant: Name
  readonly expiresAt: number
  readonly used: boolean
  /** True if a sweep may have taken it. */
  readonly swept: boolean
  readonly keepUntil: number
}

export interface AccessModel {
  readonly grant: Name
  readonly scope: ReadonlyArray<string>
  readonly expiresAt: number
  readonly revoked: boolean
  readonly swept: boolean
}

export interface RefreshModel {
  readonly grant: Name
  readonly scope: ReadonlyArray<string>
  readonly expiresAt: number
  readonly absolute: number
  readonly rotatedAt: number | undefined
  readonly successor: Name | undefined
  readonly swept: boolean
}

type Named<A> = Readonly<Record<Name, A>>

/** All that the model remembers. */
export interface State {
  readonly now: number
  readonly session: number
  readonly active: boolean
  readonly grants: Named<GrantModel>
  readonly codes: Named<CodeModel>
  readonly access: Named<AccessModel>
  readonly refresh: Named<RefreshModel>
}

export const initialState: State = { now: 0, session: 0, active: true, grants: {}, codes: {}, access: {}, refresh: {} }
