import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { defaultLifetimes } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import { isPkceString, proves } from "../../packages/core/src/rules/pkce.ts"
import { redirectUriMatches } from "../../packages/core/src/rules/redirectUri.ts"
import { runs } from "../tiers/tier.ts"
import { anyText, many, nearly, verifierText } from "./arbitraries.ts"
import { mayRedirect } from "./redirectOracle.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url")

describe("PKCE", () => {
  const method = fc.constantFrom("S256" as const, "plain" as const)
  const challengeOf = (how: "S256" | "plain", verifier: string): string => (how === "S256" ? sha256(verifier) : verifier)

  test("RFC 7636 §4.6: a verifier proves a challenge just when node:crypto says the one is the other's transformation", () => {
    const pair = verifierText.chain((verifier) =>
      fc.tuple(fc.constant(verifier), fc.oneof(fc.constant(verifier), nearly(verifier), verifierText, anyText)),
    )
    fc.assert(
      fc.property(method, pair, (how, [made, shown]) => {
        const challenge = { method: how, value: challengeOf(how, made) }
        expect(proves(challenge, shown, sha256(shown))).toBe(challengeOf(how, shown) === challenge.value)
        expect(proves(challenge, shown, sha256(shown))).toBe(shown === made)
      }),
      many,
    )
  })

  test("RFC 7636 §4.6: a challenge sent as it is proves nothing by S256, nor a digest by plain", () => {
    fc.assert(
      fc.property(verifierText, (verifier) => {
        const digest = sha256(verifier)
        expect(proves({ method: "S256", value: digest }, digest, sha256(digest))).toBe(false)
        expect(proves({ method: "plain", value: digest }, verifier, digest)).toBe(false)
      }),
      many,
    )
  })

  test("RFC 7636 §4.1: a verifier is 43 to 128 unreserved characters and nothing else", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          verifierText,
          verifierText.chain(nearly),
          fc.nat(200).map((length) => "v".repeat(length)),
        ),
        (text) => {
          const unreserved = Array.from(text).every((each) =>
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".includes(each),
          )
          expect(isPkceString(text)).toBe(unreserved && text.length >= 43 && text.length <= 128)
        },
      ),
      many,
    )
  })
})

describe("redirect URIs", () => {
  const scheme = fc.constantFrom("http://", "https://", "com.example.app:", "http:/", "http:")
  const host = fc.constantFrom(
    "127.0.0.1",
    "127.0.0.2",
    "[::1]",
    "[::2]",
    "localhost",
    "app.example",
    "127.0.0.1.example",
    "user@127.0.0.1",
    "127.0.0.1@app.example",
    "",
  )
  const port = fc.oneof(
    fc.constantFrom("", ":", ":80", ":0", ":65536", ":8a", ":80@app.example"),
    fc.nat(70_000).map((number) => `:${number}`),
  )
  const rest = fc.constantFrom("", "/", "/cb", "/CB", "/cb/", "/cb?a=1", "?a=1", "/cb#f", "/cb#", "/c b", "/%63b", "/../cb", "\\cb")
  const uri = fc.tuple(scheme, host, port, rest).map((parts) => parts.join(""))
  const clientOf = (redirect_uris: ReadonlyArray<string>, native: boolean) =>
    registeredClient({ client_id: "c", redirect_uris, application_type: native ? "native" : "web" }, defaultLifetimes)

  test("RFC 9700 §2.1, RFC 8252 §7.3: a redirect_uri matches just when an oracle written apart says so", () => {
    let matched = 0
    // A redirect URI with a user name or a fragment is never registered.
    const native = fc.tuple(
      fc.constant("http://"),
      fc.constantFrom("127.0.0.1", "[::1]"),
      fc.constantFrom("", ":80"),
      fc.constantFrom("", "/cb", "/cb?a=1"),
    )
    const registrable = fc
      .oneof(
        native.map((parts) => parts.join("")),
        uri,
      )
      .filter((each) => !/[@#]/.test(each))
    const asking = fc.array(registrable, { minLength: 1, maxLength: 4 }).chain((registered) => {
      const one = fc.constantFrom(...registered)
      const otherPort = fc.tuple(one, port).map(([each, to]) => each.replace(/^(http:\/\/(?:\[::\d\]|[^/?#:]*))(?::\d*)?/, `$1${to}`))
      return fc.tuple(fc.constant(registered), fc.oneof(one, one.chain(nearly), otherPort, uri, anyText))
    })
    fc.assert(
      fc.property(asking, fc.boolean(), ([registered, asked], native) => {
        const matches = redirectUriMatches(clientOf(registered, native), asked)
        if (matches && !registered.includes(asked)) matched++
        expect(matches).toBe(mayRedirect(registered, native, asked))
      }),
      { numRuns: runs(10_000) },
    )
    expect(matched).toBeGreaterThan(runs(100, 5))
  })

  test("RFC 9700 §2.1: for a web client, or where no loopback address is registered, equality by character is all there is", () => {
    fc.assert(
      fc.property(fc.array(uri, { minLength: 1, maxLength: 4 }), uri, (registered, asked) => {
        expect(redirectUriMatches(clientOf(registered, false), asked)).toBe(registered.includes(asked))
        const remote = registered.filter((each) => !/127|::1/.test(each))
        expect(redirectUriMatches(clientOf(remote, true), asked)).toBe(remote.includes(asked))
      }),
      many,
    )
  })
})
