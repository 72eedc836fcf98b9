import type { Run, Step } from "./flow.ts"

const algorithms = ["RS256", "ES256", "PS256", "EdDSA"]
const step = (name: string, ...came: ReadonlyArray<unknown>): Step => ({ step: name, came })
const heard = (status: number, json: object, challenge: string | null = null): object => ({ status, json, challenge })
const refused = (error: string, error_description: string): object => heard(400, { error, error_description })
const tokenAnswer = "access_token token_type expires_in scope refresh_token id_token"
const revoked = "The access token has been revoked."

/** Result of the flow, on every runtime. */
export const expected: Run = {
  algorithms,
  tellsTheTime: true,
  steps: [
    step("discovery", "https://op.example", "https://op.example/connect/token", algorithms),
    step("keys", ["kty kid alg use n e", "kty kid alg use crv x y", "kty kid alg use n e", "kty kid alg use crv x"]),
    step("sign-in page", "Login", "/login"),
    step("wrong password", 400, "credentials"),
    step("consent page", "Consent", "/consent"),
    step("sent back", 303, "https://app.example/cb", "st ü", "https://op.example"),
    step(
      "wrong secret",
      heard(401, { error: "invalid_client", error_description: "Client authentication failed." }, 'Basic realm="postern", charset="UTF-8"'),
    ),
    step("wrong verifier", refused("invalid_grant", "The code_verifier does not match the code_challenge.")),
    step("tokens", 200, tokenAnswer, "Bearer", 3600, "openid profile offline_access"),
    step("ID token", true, "iss sub aud exp iat jti auth_time nonce acr amr sid at_hash", "sub-ann", "n", 1_795_219_200),
    step("access token", true, "iss sub aud client_id scope iat exp jti auth_time acr amr sid", "openid profile offline_access"),
    step("userinfo", heard(200, { name: "Ann Ünal", sub: "sub-ann" })),
    step("introspection", "active iss client_id scope aud iat exp jti token_type sub auth_time acr amr username"),
    step("own token", "api.read"),
    step("refresh", tokenAnswer, true),
    step("refresh within the grace", true),
    step("refresh after the grace", refused("invalid_grant", "The refresh token has been used.")),
    step(
      "its family",
      refused("invalid_grant", "The refresh token has been revoked."),
      heard(
        401,
        { error: "invalid_token", error_description: revoked },
        `Bearer realm="postern", error="invalid_token", error_description="${revoked}"`,
      ),
    ),
    step("code replayed", refused("invalid_grant", "The authorization code has been used."), 401),
    step("revocation", heard(200, {}), refused("invalid_grant", "The refresh token has been revoked.")),
  ],
}
