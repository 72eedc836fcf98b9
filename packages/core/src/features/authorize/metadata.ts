import {
  ContentEncryption,
  type Field,
  KeyEncryption,
  Texts,
  ShortText,
  Uri,
  WebUri,
  clientField,
  peerAlgorithms,
  values,
} from "../../model/index.ts"

/** Client metadata of authorization requests, and of the request objects that carry them (RFC 9101). */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField("redirect_uris", values.listOf(Uri), "Redirect URIs; matched character for character.", {
    name: "redirect-uri",
    placeholder: "URI",
    description: "A redirect URI",
    repeats: true,
  }),
  clientField(
    "loopback_localhost",
    values.flag,
    "Lets redirect URIs of a native client on http://localhost vary in port, as those on loopback addresses do. Default: as its profile says.",
  ),
  clientField("response_types", Texts, "The response types it may ask for. Default: code."),
  clientField("require_pkce", values.flag, "Requires PKCE, which public clients always need. Default: true."),
  clientField("allow_plain_pkce", values.flag, "Allows the plain challenge method. Default: false."),
  clientField("default_max_age", values.whole(0), "Asks people to sign in again when their sign-in is older than this many seconds."),
  clientField("default_acr_values", values.listOf(ShortText), "Authentication contexts asked for when a request names none."),
  clientField(
    "request_object_signing_alg",
    values.oneOf([...peerAlgorithms, "none"]),
    "The only algorithm accepted for its request objects; none means that they are unsigned.",
  ),
  clientField("request_object_encryption_alg", KeyEncryption, "Key encryption required of its request objects. Default: none required."),
  clientField(
    "request_object_encryption_enc",
    ContentEncryption,
    "Content encryption required of its request objects. Default: A128CBC-HS256.",
  ),
  clientField(
    "require_signed_request_object",
    values.flag,
    "Requires every authorization request to be a signed request object. Default: false.",
  ),
  clientField("request_uris", values.listOf(WebUri), "The https URLs that it may send as request_uri. Default: none."),
]
