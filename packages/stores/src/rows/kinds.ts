import { rowKind } from "@postern/core/model"
import type { SigningKey } from "@postern/core/jose"
import type { ClientRow } from "../clients/clientRows.ts"
import type { IdentityRow } from "../people/identities.ts"
import type { UserRow } from "../people/users.ts"

/** The kinds of row that a store keeps in addition to those of the token store, which core describes. */
export const kinds = {
  clients: rowKind<ClientRow>(
    "clients",
    {
      clientId: "text",
      metadata: "json",
      secretHash: "text?",
      secretSealed: "text?",
      origin: "text",
      createdAt: "integer",
      updatedAt: "integer",
    },
    { key: ["clientId"] },
  ),
  users: rowKind<UserRow>(
    "users",
    {
      subject: "text",
      username: "text",
      usernameKey: "text",
      passwordHash: "text?",
      claims: "json",
      disabled: "flag",
      tenant: "text?",
      origin: "text",
      createdAt: "integer",
      updatedAt: "integer",
    },
    { key: ["subject"] },
  ),
  identities: rowKind<IdentityRow>(
    "identities",
    { issuer: "text", subject: "text", userSubject: "text", provider: "text", createdAt: "integer", lastSeen: "integer" },
    { key: ["issuer", "subject"] },
  ),
  signingKeys: rowKind<SigningKey>(
    "signing_keys",
    { kid: "text", alg: "text", privateJwk: "text", publicJwk: "json", createdAt: "integer", activeAt: "integer" },
    { key: ["kid"] },
  ),
}
