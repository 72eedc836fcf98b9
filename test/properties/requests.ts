import { createHash } from "node:crypto"
import fc from "fast-check"
import type { ClientMetadata } from "@postern/core"
import { known } from "../support/world.ts"
import { anyText, nearly, unicode, verifierText } from "./arbitraries.ts"

const webUris = [
  "https://app.example/cb",
  "https://app.example/cb?tab=1",
  "https://app.example/cb?",
  "https://app.example/",
  "https://app.example:8443/cb/",
  "https://xn--app-8la.example/%C3%BC",
]
const nativeUris = [
  "http://127.0.0.1/cb",
  "http://[::1]/cb?from=op",
  "http://127.0.0.1:8080",
  "com.example.app:/cb",
  "https://app.example/cb",
]

const frontTypes = ["code id_token", "code token", "code id_token token", "id_token", "id_token token", "token"]

/** Every scope a world knows. */
export const scopes: ReadonlyArray<string> = known.names

const some = <A>(items: ReadonlyArray<A>, minLength = 0): fc.Arbitrary<ReadonlyArray<A>> => fc.subarray([...items], { minLength })
const seldom = fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true))

/** Metadata of a client that may be registered: web or native, confidential or public, with any response types and settings. */
export const clientMetadata = (client_id: string): fc.Arbitrary<ClientMetadata> =>
  fc
    .record({
      application_type: fc.constantFrom("web" as const, "native" as const),
      token_endpoint_auth_method: fc.constantFrom("client_secret_basic" as const, "client_secret_post" as const, "none" as const),
      settings: fc.record({
        require_pkce: fc.boolean(),
        allow_plain_pkce: fc.boolean(),
        require_consent: fc.boolean(),
        access_token_format: fc.constantFrom("jwt" as const, "reference" as const),
        refresh_token_grace: fc.constantFrom(0, 30),
        disabled: seldom,
      }),
      words: fc.oneof(
        some(scopes, 1),
        some(scopes).map((names) => [...new Set(["openid", ...names])]),
      ),
      front: fc.oneof(fc.constant([]), some(frontTypes, 1)),
      default_max_age: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 60),
    })
    .chain(({ application_type, token_endpoint_auth_method, settings, words, front, default_max_age }) =>
      some(application_type === "native" ? nativeUris : webUris, 1).map((redirect_uris) => ({
        client_id,
        application_type,
        token_endpoint_auth_method,
        ...(token_endpoint_auth_method === "none" ? {} : { client_secret: `secret of ${client_id}` }),
        ...settings,
        scope: words.join(" "),
        grant_types: [
          "authorization_code",
          ...(words.includes("offline_access") ? ["refresh_token"] : []),
          ...(front.length > 0 ? ["implicit"] : []),
          ...(token_endpoint_auth_method === "none" ? [] : ["client_credentials"]),
        ],
        response_types: ["code", ...front],
        redirect_uris,
        ...(default_max_age === undefined ? {} : { default_max_age }),
      })),
    )

/** Pairs as they are sent, in order. */
export type Pairs = ReadonlyArray<readonly [string, string]>

const mostly = <A>(usual: fc.Arbitrary<A>, ...others: ReadonlyArray<fc.Arbitrary<A>>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 12 * others.length, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })))
const absent = fc.constant(undefined)
const oneOf = (...values: ReadonlyArray<string>) => fc.constantFrom(...values)

const redirectUri = ({ redirect_uris = [] }: ClientMetadata): fc.Arbitrary<string | undefined> => {
  const registered = fc.constantFrom(...redirect_uris)
  const otherPort = fc
    .tuple(registered, fc.nat(70_000))
    .map(([uri, port]) => uri.replace(/^(\w+:\/\/(?:\[[^\]]*\]|[^/?#:]*))(?::\d*)?/, `$1:${port}`))
  return mostly<string | undefined>(registered, registered.chain(nearly), otherPort, oneOf(...webUris, ...nativeUris), anyText, absent)
}

const names = [
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "scope",
  "state",
  "nonce",
  "prompt",
  "max_age",
  "code_challenge",
  "code_challenge_method",
]
const others = [
  "resource",
  "ui_locales",
  "acr_values",
  "login_hint",
  "id_token_hint",
  "request",
  "request_uri",
  "registration",
  "claims",
  "display",
  "iss",
  "code",
  "error",
]

/** Authorization requests of a client: well formed for the most part, and wrong in any of the ways there are. */
export const authorizeRequest = (client: ClientMetadata): fc.Arbitrary<Pairs> => {
  const own = (client.scope ?? "").split(" ")
  // Scopes that a response type of one kind of token may ask for.
  const [identity, resource] = [own.filter((name) => known.identity.has(name)), own.filter((name) => known.resource.has(name))]
  const whole = [own, identity, resource].filter((names) => names.length > 0)
  const fitting = fc.oneof(some(own, 1), fc.constantFrom(...whole))
  const words = mostly(fitting, some(scopes), fc.array(fc.oneof(oneOf(...scopes), anyText), { maxLength: 4 }))
  const digest = verifierText.map((verifier) => createHash("sha256").update(verifier).digest("base64url"))
  const usual = fc.record({
    client_id: mostly<string | undefined>(fc.constant(client.client_id), oneOf("other", "nobody"), anyText, absent),
    redirect_uri: redirectUri(client),
    response_type: mostly<string | undefined>(oneOf("code", ...(client.response_types ?? [])), oneOf(...frontTypes), anyText, absent),
    response_mode: mostly<string | undefined>(
      absent,
      oneOf("query", "fragment", "form_post"),
      oneOf("query", "fragment", "form_post"),
      anyText,
    ),
    scope: mostly<string | undefined>(
      words.map((each) => each.join(" ")),
      absent,
    ),
    state: mostly<string | undefined>(unicode, absent, anyText),
    nonce: mostly<string | undefined>(unicode, absent),
    resource: mostly<string | undefined>(
      absent,
      oneOf("https://api.example", "https://billing.example", "https://api.example#f", "api"),
      anyText,
    ),
    prompt: mostly<string | undefined>(absent, oneOf("none", "login", "consent", "select_account", "none login", "login consent"), anyText),
    max_age: mostly<string | undefined>(absent, oneOf("0", "60", "9999999999", "-1", "1.5", "1e3"), anyText),
    code_challenge: mostly<string | undefined>(digest, anyText, absent),
    code_challenge_method: mostly<string | undefined>(fc.constant("S256"), oneOf("plain", "s256"), anyText, absent),
  })
  const extra = fc.tuple(fc.oneof(oneOf(...names, ...others), anyText), fc.oneof(anyText, oneOf("none", "a", "idp:x tenant:y")))
  return fc
    .tuple(
      usual,
      mostly<ReadonlyArray<readonly [string, string]>>(fc.constant([]), fc.array(extra, { minLength: 1, maxLength: 3 })),
      fc.nat(10),
    )
    .map(([params, extras, at]) =>
      Object.entries(params)
        .flatMap(([name, value]): Pairs => (value === undefined ? [] : [[name, value]]))
        .toSpliced(at, 0, ...extras),
    )
}
