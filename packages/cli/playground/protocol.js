// The client's side of the protocol: OpenID Connect Core §3.1 with PKCE (RFC 7636), from a browser.

const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")

const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0))

/** A value nobody can guess: 256 random bits. */
export const unguessable = () => base64url(crypto.getRandomValues(new Uint8Array(32)))

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export const challengeOf = async (verifier) =>
  base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))))

/** The provider's metadata (OpenID Connect Discovery §4). */
export const discover = async (issuer) => {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`)
  if (!answer.ok) throw new Error(`the metadata could not be read: ${answer.status}`)
  const metadata = await answer.json()
  if (metadata.issuer !== issuer) throw new Error("the metadata names another issuer")
  return metadata
}

/** Sends a request and keeps both sides of it for showing. */
export const exchange = async (method, url, { form, headers = {} } = {}) => {
  const body = form === undefined ? undefined : new URLSearchParams(form)
  const answer = await fetch(url, { method, headers, body })
  const text = await answer.text()
  const shown = ["content-type", "cache-control", "www-authenticate", "x-request-id"].flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return {
    request: { method, url, headers, form: form ?? {} },
    answer: { status: answer.status, headers: Object.fromEntries(shown), body: parsed(text) ?? text },
    requestId: answer.headers.get("x-request-id") ?? undefined,
  }
}

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const partOf = (text) => parsed(new TextDecoder().decode(bytesOf(text)))

/** A JWT taken apart; undefined for anything else. */
export const decodeJwt = (token) => {
  const parts = token.split(".")
  if (parts.length !== 3) return undefined
  try {
    return { header: partOf(parts[0]), payload: partOf(parts[1]) }
  } catch {
    return undefined
  }
}

const algorithms = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
}

/** Checks that a JWT is signed by one of the provider's published keys (RFC 7515 §5.2). */
export const signatureHolds = async (token, jwksUri) => {
  const { header } = decodeJwt(token)
  const algorithm = algorithms[header.alg]
  const { keys } = await (await fetch(jwksUri)).json()
  const jwk = keys.find(({ kid, alg }) => kid === header.kid && alg === header.alg)
  if (algorithm === undefined || jwk === undefined) return false
  const { kty, n, e, crv, x, y } = jwk
  const key = await crypto.subtle.importKey("jwk", { kty, n, e, crv, x, y }, algorithm, false, ["verify"])
  const [head, payload, signature] = token.split(".")
  return crypto.subtle.verify(algorithm, key, bytesOf(signature), new TextEncoder().encode(`${head}.${payload}`))
}
