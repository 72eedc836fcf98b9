/** Repeats a unit up to a length. */
export const fill = (unit: string | ((at: number) => string), length: number): string => {
  const parts: Array<string> = []
  for (let at = 0, written = 0; written < length; at++) {
    const part = typeof unit === "string" ? unit : unit(at)
    parts.push(part)
    written += part.length
  }
  return parts.join("").slice(0, length)
}

/** A text of a length. */
export type Shape = (length: number) => string

/** The plain text of a form: addresses, written as every client writes them. */
export const plainForm: Shape = (length) => fill(encodeURIComponent("https://app.example/cb?a=1&"), length)

/** The plain text of a header field: one long word. */
export const plainHeader: Shape = (length) => "a".repeat(length)

/** Names and values of a form or a query, that make its parser work most; they are written behind what makes the request a sound one. */
export const forms: Readonly<Record<string, Shape>> = {
  "many names": (length) => fill((at) => `&${at.toString(36)}=1`, length),
  "every name twice": (length) => fill((at) => `&${(at >> 1).toString(36)}=`, length),
  "one name, many values": (length) => fill("&resource=https://api.example", length),
  "no names": (length) => fill("&", length),
  "200 names, each half as long again": (length) => fill((at) => (at < 190 ? `&${at}${"n".repeat(length / 200 - 8)}=` : "&a="), length),
  "percent signs": (length) => `&x=${fill("%", length - 3)}`,
  "percent-encoded letters": (length) => `&x=${fill("%41", length - 3)}`,
  "percent-encoded rubbish": (length) => `&x=${fill("%FF", length - 3)}`,
  "plus signs": (length) => `&x=${fill("+", length - 3)}`,
  "equals signs": (length) => `&${fill("=", length - 1)}`,
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")
const jwt = (payload: string): string => `${encoded({ alg: "RS256", typ: "JWT", kid: "k" })}.${payload}.${"A".repeat(342)}`
const ofLength = (length: number, text: string): string => text.slice(0, length)
const members = (length: number, member: (at: number) => string): string => {
  const all = fill((at) => `,${member(at)}`, Math.max(2, length)).slice(1)
  return all.slice(0, all.lastIndexOf(","))
}

/** Values of one parameter that make what reads it work most. */
export const values: Readonly<Record<string, Shape>> = {
  "many words": (length) => fill((at) => `${at.toString(36)} `, length),
  "the same word": (length) => fill("a ", length),
  "199 long words": (length) => fill((at) => `${fill("w", length / 200)}${at < 198 ? " " : ""}`, length),
  spaces: (length) => fill(" ", length),
  dots: (length) => fill(".", length),
  dashes: (length) => fill("a-", length),
  commas: (length) => fill("a,", length),
  colons: (length) => fill(":", length),
  slashes: (length) => `https://${fill("/.", length - 8)}`,
  quotes: (length) => fill(`"<&`, length),
  controls: (length) => fill("\u0001", length),
  "JSON, wide": (length) => `{"id_token":{${members(length - 40, (at) => `"${at.toString(36)}":null`)}}}`,
  "JSON, the same name": (length) => `{"id_token":{${members(length - 40, () => `"email":null`)}}}`,
  "JSON, many values": (length) => `{"id_token":{"acr":{"values":[${members(length - 60, (at) => `"${at}"`)}]}}}`,
  "JSON, deep": (length) => `{"id_token":${fill("[", length / 2 - 8)}${fill("]", length / 2 - 8)}}`,
  "JSON, never closed": (length) => fill("[", length),
  "JWT, wide": (length) => jwt(encoded(JSON.parse(`{${members((length - 600) * 0.74, (at) => `"${at.toString(36)}":1`)}}`))),
  "JWT, deep": (length) =>
    jwt(Buffer.from(`{"aud":${fill("[", (length - 700) * 0.36)}${fill("]", (length - 700) * 0.36)}}`).toString("base64url")),
  "JWT, a long header": (length) => ofLength(length, `${encoded({ alg: "RS256", kid: fill("k", (length - 100) * 0.74) })}.e30.AAAA`),
  "JWE, five parts": (length) => `${encoded({ alg: "RSA-OAEP-256", enc: "A256GCM" })}.AAAA.AAAA.${fill("A", length - 100)}.AAAA`,
}

/** The plain text of a body of JSON: one long text. */
export const plainJson: Shape = (length) => `,"x":"${fill("a", length - 7)}"`

/** Members of a body of JSON that make its parser work most; they are written behind what makes the request a sound one. */
export const bodies: Readonly<Record<string, Shape>> = {
  "many members": (length) => `,${members(length - 1, (at) => `"${at.toString(36)}":null`)}`,
  "the same member": (length) => `,${members(length - 1, () => `"redirect_uris":null`)}`,
  "many redirect URIs": (length) => `,"redirect_uris":[${members(length - 19, (at) => `"https://a.example/${at}"`)}]`,
  "many languages": (length) => `,${members(length - 1, (at) => `"client_name#${at.toString(36)}":"a"`)}`,
  "many keys": (length) => `,"jwks":{"keys":[${members(length - 20, (at) => `{"kty":"EC","kid":"${at}"}`)}]}`,
  deep: (length) => `,"x":${fill("[", length / 2 - 4)}${fill("]", length / 2 - 4)}`,
  "never closed": (length) => `,"x":${fill("[", length - 5)}`,
  escapes: (length) => `,"x":"${fill("\\u0041", length - 13)}"`,
}

/** Values of a header field that make what reads it work most. */
export const headers: Readonly<Record<string, Shape>> = {
  semicolons: (length) => fill(";", length),
  pairs: (length) => fill((at) => `${at.toString(36)}=1; `, length),
  "our names": (length) => fill("__Host-postern-session=; ", length),
  "almost our names": (length) => fill("__Host-postern-sessio; ", length),
  commas: (length) => fill(",", length),
  languages: (length) =>
    fill((at) => `${fill((letter) => String.fromCharCode(97 + ((at * 7 + letter * 3) % 26)), 3)}-AB;q=0.${at % 10},`, length),
  qualities: (length) => fill(";q=1", length),
  "media types": (length) => fill("application/json;q=0.1,", length),
  addresses: (length) => fill("10.0.0.1, ", length),
  "Basic, colons": (length) => `Basic ${Buffer.from(fill(":", length * 0.74)).toString("base64")}`,
  "Basic, percent": (length) => `Basic ${Buffer.from(`a:${fill("%41", length * 0.74)}`).toString("base64")}`,
  "Bearer, dots": (length) => `Bearer ${fill(".", length - 7)}`,
  "Bearer, a wide JWT": (length) => `Bearer ${values["JWT, wide"]?.(length - 7)}`,
  "Bearer, spaces": (length) => `Bearer ${fill(" ", length - 8)}x y`,
  "spaces at the end": (length) => `a${fill(" ", length - 2)}b`,
}
