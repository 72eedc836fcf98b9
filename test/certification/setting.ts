import { everyClaim as claims } from "@postern/conformance"
import type { ClientMetadata } from "@postern/core"
import { type World, world } from "../support/world.ts"

export const callback = "https://suite.example/test/a/postern/callback"

const everything = {
  grant_types: ["authorization_code", "refresh_token", "implicit"],
  response_types: ["code", "code id_token", "code token", "code id_token token", "id_token", "id_token token"],
  redirect_uris: [callback],
  scope: "openid profile email address phone offline_access",
  require_pkce: false,
}

/** The static clients of the plans; their names and secrets hold characters that a Basic header must escape. */
export const clients: ReadonlyArray<ClientMetadata & { readonly client_secret: string }> = [
  { client_id: "suite one", client_name: "Suite One", client_secret: "s:e%c+r &t=ü/one", ...everything },
  { client_id: "suite-two", client_name: "Suite Two", client_secret: "s3cret of two", ...everything },
  { client_id: "suite-post", client_secret: "p:o%s+t &=ü", token_endpoint_auth_method: "client_secret_post", ...everything },
]

/** The claims that each scope releases (OpenID Connect Core §5.4). */
export const claimsOfScope: Readonly<Record<string, ReadonlyArray<string>>> = {
  openid: [],
  offline_access: [],
  profile: [
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "profile",
    "picture",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
    "preferred_username",
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}

/** A world with the clients of the plans, and a person of whom everything is known. */
export const setting = async (): Promise<World> => {
  const w = await world({ clients })
  w.people.set("sub-alice", { subject: "sub-alice", username: "alice", active: true, claims })
  return w
}
