import { type Received, json, mediaType, textOf } from "../exchange/exchange.ts"
import { type Finding, first, holds, oneOf, same, shown, status } from "../oracle/finding.ts"
import { type Level, type Requirement, area } from "../requirement/requirement.ts"
import type { Steps } from "../steps/steps.ts"

type Key = Readonly<Record<string, unknown>>

const fetched = (t: Steps): Promise<Received> => t.get(t.endpoint("jwks_uri"))

const keysOf = (received: Received): ReadonlyArray<Key> => {
  const keys = json(received)?.["keys"]
  return Array.isArray(keys) ? keys.filter((each): each is Key => typeof each === "object" && each !== null) : []
}

/** Private members, for all key types (RFC 7518 §6). */
const secrets = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

const complete: Readonly<Record<string, ReadonlyArray<string>>> = { RSA: ["n", "e"], EC: ["crv", "x", "y"], OKP: ["crv", "x"] }

const published = area("keys", {})

/** A requirement of the published keys. */
const keys = (id: string, paragraph: string, title: string, oracle: (found: ReadonlyArray<Key>) => Finding, level?: Level): Requirement =>
  published(id, paragraph, title, async (t) => keysOf(await fetched(t)), oracle, level)

/** The published keys (RFC 7517). */
export const publishedKeys: ReadonlyArray<Requirement> = [
  published("json", "RFC 7517 §5", "The keys are a JSON object with a list of at least one key", fetched, (received) =>
    first(
      status(received, 200),
      oneOf(mediaType(received), ["application/json", "application/jwk-set+json"], "the media type"),
      holds(keysOf(received).length > 0, "there is no key"),
    ),
  ),
  keys("public", "RFC 7517 §9.2", "No published key holds anything private", (found) =>
    first(...found.flatMap((key) => secrets.map((name) => holds(!(name in key), `the key ${shown(key["kid"])} holds ${name}`)))),
  ),
  keys("symmetric", "RFC 7518 §6.4", "No symmetric key is published", (found) =>
    first(...found.map((key) => holds(key["kty"] !== "oct", "there is a key of the type oct"))),
  ),
  keys("kid", "OpenID Connect Core §10.1", "Where there are several keys, each has a kid", (found) =>
    first(...found.map((key) => holds(found.length < 2 || textOf(key["kid"]) !== "", "a key has no kid"))),
  ),
  keys(
    "kid-unique",
    "RFC 7517 §4.5",
    "No two keys have the same kid",
    (found) => {
      const ids = found.map((key) => key["kid"]).filter((kid) => kid !== undefined)
      return holds(new Set(ids).size === ids.length, `two keys share a kid: ${shown(ids)}`)
    },
    "SHOULD",
  ),
  keys("complete", "RFC 7518 §6", "Each key has the members of its type, as base64url without padding", (found) =>
    first(
      ...found.flatMap((key) =>
        (complete[textOf(key["kty"])] ?? []).map((name) =>
          holds(/^[\w-]+$/.test(textOf(key[name])), `${name} of the key ${shown(key["kid"])} is ${shown(key[name])}`),
        ),
      ),
    ),
  ),
  keys("type", "RFC 7518 §6.1", "Each key has a type that is registered", (found) =>
    first(...found.map((key) => oneOf(key["kty"], ["RSA", "EC", "OKP", "AKP"], "a kty"))),
  ),
  keys("use", "RFC 7517 §4.2", "Where keys for signing and for encryption are published, each says which it is", (found) => {
    const uses = new Set(found.map((key) => key["use"]))
    return holds(!uses.has("enc") || !uses.has(undefined), "some keys say enc, and others say nothing")
  }),
  keys("use-known", "RFC 7517 §4.2", "A use is sig or enc", (found) =>
    first(
      ...found.map((key) =>
        holds(key["use"] === undefined || key["use"] === "sig" || key["use"] === "enc", `a use is ${shown(key["use"])}`),
      ),
    ),
  ),
  keys("rsa-size", "RFC 7518 §3.3", "An RSA key has at least 2048 bits", (found) =>
    first(
      ...found
        .filter((key) => key["kty"] === "RSA")
        .map((key) => {
          const bits = Buffer.from(textOf(key["n"]), "base64url").length * 8
          return holds(bits >= 2048, `the key ${shown(key["kid"])} has ${bits} bits`)
        }),
    ),
  ),
  keys("rs256", "OpenID Connect Core §15.1", "There is an RSA key to sign with", (found) =>
    holds(
      found.some((key) => key["kty"] === "RSA" && key["use"] !== "enc"),
      "there is none",
    ),
  ),
  keys(
    "algorithm",
    "RFC 8725 §3.1",
    "Each key says for which algorithm it is",
    (found) => first(...found.map((key) => holds(textOf(key["alg"]) !== "", `the key ${shown(key["kid"])} has no alg`))),
    "SHOULD",
  ),
  keys("no-none", "RFC 8725 §3.2", "No key is for the algorithm none", (found) =>
    first(...found.map((key) => holds(key["alg"] !== "none", "a key is for none"))),
  ),
  published(
    "stable",
    "OpenID Connect Core §10.1.1",
    "Two requests in a row are answered with the same keys",
    async (t) => [keysOf(await fetched(t)), keysOf(await fetched(t))].map((found) => found.map((key) => key["kid"])),
    ([one, other]) => same(one, other, "the list of key ids"),
  ),
  published(
    "cors",
    "Fetch §3.2",
    "Applications in a browser may read the keys",
    (t) => t.get(t.endpoint("jwks_uri"), { origin: "https://app.conformance.test" }),
    ({ headers }) => holds(headers.has("access-control-allow-origin"), "there is no Access-Control-Allow-Origin"),
    "SHOULD",
  ),
]
