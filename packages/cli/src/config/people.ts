import * as Schema from "effect/Schema"
import { ScopeName } from "@postern/core/model"
import { absent, line, printable, section, text } from "./described.ts"
import { Secret } from "./secretSchema.ts"
import { Acr } from "./sections.ts"

/** A user whom the file declares. */
export const User = section("User", "A person who may sign in.", {
  username: [text(200), "The username."],
  subject: [absent(printable(255)), "The `sub` claim; never reuse one for another user. Default: generated at the first start."],
  password: [absent(Secret), "The password; kept hashed with argon2id. Give this or password_hash."],
  password_hash: [absent(Secret), "The password's argon2id hash in PHC form: $argon2id$v=19$…"],
  claims: [absent(Schema.Record(Schema.String, Schema.Json)), "The user's claims by name. Scopes decide which of them a client gets."],
  disabled: [absent(Schema.Boolean), "Disables the user. Default: false."],
  tenant: [absent(printable(200)), "The only tenant to which the user may sign in. Default: any."],
})

/** Another OpenID Provider at which users may sign in. */
export const IdentityProvider = section("IdentityProvider", "Another OpenID Provider at which users may sign in.", {
  name: [
    Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,50}$/u, { expected: "1 to 50 lower-case letters, digits and dashes" })),
    "The NAME in acr_values=idp:NAME and in identity_providers of clients. Its redirect URI is ISSUER/login/callback/NAME.",
  ],
  display_name: [text(100), "The name on the sign-in page."],
  issuer: [line(1024), "The provider's issuer, byte for byte."],
  client_id: [line(255), "Our client_id there."],
  client_secret: [absent(Secret), "Our secret there."],
  client_key: [absent(Secret), "Our private key there, for private_key_jwt: a JWK with its alg, and its kid where it has one."],
  token_endpoint_auth_method: [
    absent(Schema.Literals(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])),
    "Our authentication method at that provider. Default: client_secret_basic with a secret, private_key_jwt with a key, otherwise none.",
  ],
  scopes: [absent(Schema.Array(ScopeName)), "The scopes that we request. Default: openid, profile and email."],
  claims: [
    absent(Schema.Record(Schema.String, line(200))),
    "Maps our claim names to the provider's. Default: the standard claims unchanged.",
  ],
  trusted_claims: [
    absent(Schema.Array(Schema.Literals(["email_verified", "phone_number_verified"]))),
    "Which of email_verified and phone_number_verified are believed: name one only if that provider verifies such addresses itself. Default: none.",
  ],
  acr_values: [
    absent(Schema.Record(Acr, Acr)),
    "Maps our authentication contexts to the provider's: asked of it by its own names, and reported by ours; others that it reports count as none. Default: its own, unchanged.",
  ],
  password_grant: [
    absent(Schema.Boolean),
    "Passes passwords of the password grant on to that provider, for clients that ask for it. Default: false.",
  ],
})
