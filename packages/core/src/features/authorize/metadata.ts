import {
  ContentEncryption,
  type Field,
  KeyEncryption,
  Texts,
  ShortText,
  Uri,
  WebUri,
  plainField,
  peerAlgorithms,
  values,
} from "../../model/index.ts"

/** Client metadata of authorization requests, and of the request objects that carry them (RFC 9101). */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("redirect_uris", values.listOf(Uri), {
    name: "redirect-uri",
    placeholder: "URI",
    description: "A redirect URI",
    repeats: true,
  }),
  plainField("loopback_localhost", values.flag),
  plainField("response_types", Texts),
  plainField("require_pkce", values.flag),
  plainField("allow_plain_pkce", values.flag),
  plainField("default_max_age", values.whole(0)),
  plainField("default_acr_values", values.listOf(ShortText)),
  plainField("request_object_signing_alg", values.oneOf([...peerAlgorithms, "none"])),
  plainField("request_object_encryption_alg", KeyEncryption),
  plainField("request_object_encryption_enc", ContentEncryption),
  plainField("require_signed_request_object", values.flag),
  plainField("request_uris", values.listOf(WebUri)),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  redirect_uris: "Redirect URIs; matched character for character.",
  loopback_localhost:
    "Lets redirect URIs of a native client on http://localhost vary in port, as those on loopback addresses do. Default: as its profile says.",
  response_types: "The response types it may ask for. Default: code.",
  require_pkce: "Requires PKCE, which public clients always need. Default: true.",
  allow_plain_pkce: "Allows the plain challenge method. Default: false.",
  default_max_age: "Asks people to sign in again when their sign-in is older than this many seconds.",
  default_acr_values: "Authentication contexts asked for when a request names none.",
  request_object_signing_alg: "The only algorithm accepted for its request objects; none means that they are unsigned.",
  request_object_encryption_alg: "Key encryption required of its request objects. Default: none required.",
  request_object_encryption_enc: "Content encryption required of its request objects. Default: A128CBC-HS256.",
  require_signed_request_object: "Requires every authorization request to be a signed request object. Default: false.",
  request_uris: "The https URLs that it may send as request_uri. Default: none.",
}
