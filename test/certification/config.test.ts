import { expect, test } from "vitest"
import { discovered, keySet } from "./contract.ts"
import { setting } from "./setting.ts"

/** The members of the registries of OpenID Connect Discovery §3, RFC 8414 §2, RFC 9126 §5, RFC 9701 §7, RFC 9449 §5.1, RFC 8705 §3.3 and §5, Back- and Front-Channel Logout §2.1 and what else extends them, as far as Postern states them. */
const known = new Set(
  [
    "issuer authorization_endpoint token_endpoint userinfo_endpoint jwks_uri revocation_endpoint introspection_endpoint",
    "device_authorization_endpoint end_session_endpoint registration_endpoint scopes_supported response_types_supported",
    "response_modes_supported grant_types_supported acr_values_supported subject_types_supported id_token_signing_alg_values_supported",
    "userinfo_signing_alg_values_supported token_endpoint_auth_methods_supported token_endpoint_auth_signing_alg_values_supported",
    "revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported display_values_supported",
    "introspection_endpoint_auth_methods_supported introspection_endpoint_auth_signing_alg_values_supported",
    "claim_types_supported claims_supported service_documentation claims_locales_supported ui_locales_supported",
    "claims_parameter_supported request_parameter_supported request_uri_parameter_supported require_request_uri_registration",
    "request_object_signing_alg_values_supported request_object_encryption_alg_values_supported",
    "request_object_encryption_enc_values_supported",
    "id_token_encryption_alg_values_supported id_token_encryption_enc_values_supported userinfo_encryption_alg_values_supported",
    "userinfo_encryption_enc_values_supported introspection_signing_alg_values_supported introspection_encryption_alg_values_supported",
    "introspection_encryption_enc_values_supported",
    "authorization_signing_alg_values_supported authorization_encryption_alg_values_supported authorization_encryption_enc_values_supported",
    "backchannel_logout_supported backchannel_logout_session_supported frontchannel_logout_supported frontchannel_logout_session_supported",
    "dpop_signing_alg_values_supported tls_client_certificate_bound_access_tokens mtls_endpoint_aliases",
    "pushed_authorization_request_endpoint require_pushed_authorization_requests",
    "dpop_signing_alg_values_supported tls_client_certificate_bound_access_tokens mtls_endpoint_aliases",
    "backchannel_logout_supported backchannel_logout_session_supported frontchannel_logout_supported frontchannel_logout_session_supported",
    "op_policy_uri op_tos_uri code_challenge_methods_supported authorization_response_iss_parameter_supported prompt_values_supported",
  ].flatMap((line) => line.split(" ")),
)

const texts = (value: unknown): ReadonlyArray<string> => {
  expect(value).toSatisfy((each: unknown) => Array.isArray(each) && each.length > 0 && each.every((one) => typeof one === "string"))
  return value as ReadonlyArray<string>
}

test("oidcc-config: oidcc-discovery-endpoint-verification", async () => {
  const w = await setting()
  const { document, type } = await discovered(w)
  expect(type).toBe("application/json")

  const issuer = new URL(String(document["issuer"]))
  expect(issuer.protocol).toBe("https:")
  expect([issuer.search, issuer.hash, issuer.username, issuer.password]).toEqual(["", "", "", ""])
  expect(document["issuer"]).toBe("https://op.example")

  for (const name of Object.keys(document)) expect(known, name).toContain(name)
  for (const [name, value] of Object.entries(document)) {
    if (name.endsWith("_endpoint") || name === "jwks_uri") expect(new URL(String(value)).protocol, name).toBe("https:")
    if (name.endsWith("_supported")) expect(Array.isArray(value) || typeof value === "boolean", name).toBe(true)
    if (Array.isArray(value)) texts(value)
  }
  expect(document).toHaveProperty("userinfo_endpoint")

  for (const type_ of ["code", "id_token", "id_token token", "code id_token", "code token", "code id_token token"])
    expect(texts(document["response_types_supported"])).toContain(type_)
  for (const grant of ["authorization_code", "implicit", "refresh_token"]) expect(texts(document["grant_types_supported"])).toContain(grant)
  expect(texts(document["response_modes_supported"])).toEqual(expect.arrayContaining(["query", "fragment", "form_post"]))
  expect(texts(document["subject_types_supported"])).toContain("public")
  expect(texts(document["id_token_signing_alg_values_supported"])).toContain("RS256")
  expect(texts(document["id_token_signing_alg_values_supported"])).not.toContain("none")
  expect(texts(document["token_endpoint_auth_methods_supported"])).toEqual(
    expect.arrayContaining(["client_secret_basic", "client_secret_post"]),
  )
  for (const scope of texts(document["scopes_supported"])) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
  expect(document["scopes_supported"]).toEqual(expect.arrayContaining(["openid", "profile", "email", "address", "phone", "offline_access"]))
  expect(texts(document["claims_supported"])).toEqual(expect.arrayContaining(["sub", "name", "email", "address", "phone_number"]))
  expect(texts(document["code_challenge_methods_supported"])).toContain("S256")
  // Core §15.1: what an OpenID Provider must take in request objects, where it takes them (OpenID Connect Discovery §3).
  expect(texts(document["request_object_signing_alg_values_supported"])).toEqual(expect.arrayContaining(["RS256"]))
  expect(texts(document["request_object_signing_alg_values_supported"])).not.toContain("none")

  const algorithms = (await keySet(w)).map(({ alg }) => alg)
  for (const algorithm of texts(document["id_token_signing_alg_values_supported"])) expect(algorithms).toContain(algorithm)
})
