import { frozen } from "./frozen.ts"

/** Dynamic client registration and its management. */
export const oidcDynamic = frozen(
  "oidc-dynamic",
  "Clients that register themselves (RFC 7591, RFC 7592, OpenID Connect Dynamic Client Registration)",
  `
    registration.created registration.not-stored registration.metadata registration.secret-expiry registration.public-without-secret registration.apart
    registration.unknown-ignored registration.redirect-fragment registration.redirect-script registration.redirect-data registration.redirect-http registration.redirect-missing
    registration.redirect-text registration.keys-twice registration.keys-missing registration.statement registration.grants-fit registration.json
    registration.json-type registration.json-broken registration.json-list registration.error-not-stored registration.method registration.used
    registration.used-address manage-registration.read manage-registration.read-token manage-registration.read-other manage-registration.change manage-registration.change-id
    manage-registration.change-secret manage-registration.change-refused manage-registration.change-keys manage-registration.delete manage-registration.delete-tokens
  `,
)
