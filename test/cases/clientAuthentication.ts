import type { ClientMetadata } from "@postern/core"
import { asking } from "../support/asking.ts"
import { basic, post, token } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const failed = (description: string) => ({
  ...refused("invalid_client", description, 401),
  headers: { "www-authenticate": 'Basic realm="postern", charset="UTF-8"' },
})
const ask = (w: World, headers: Record<string, string>, fields: Record<string, string> = {}) =>
  token(w, undefined, { grant_type: "client_credentials", ...fields }, headers)

/** A client that states how it authenticates, what it sends where, and its secret in the body. */
const boundTo = (method: "client_secret_basic" | "client_secret_post"): ClientMetadata => ({
  client_id: "bound",
  client_secret: "secret of bound",
  token_endpoint_auth_method: method,
  grant_types: ["client_credentials", "urn:ietf:params:oauth:grant-type:device_code"],
  response_types: [],
  scope: "api.read",
})
const bound: Readonly<Record<string, Record<string, string>>> = {
  "/connect/token": { grant_type: "client_credentials" },
  "/connect/introspect": { token: "none" },
  "/connect/revocation": { token: "none" },
}
/** The rules that have nothing to do for a token that nobody was given. */
const idle: Readonly<Record<string, string>> = {
  "/connect/introspect": "introspection.known",
  "/connect/revocation": "revocation.token-known",
}
const inBody = { client_id: "bound", client_secret: "secret of bound" }

/** Every endpoint at which clients authenticate. */
const endpoints = ["token", "par", "introspect", "revocation", "deviceauthorization", "ciba"].map((each) => `/connect/${each}`)

/** Credentials in the body, whole or half. */
const inBodies: Readonly<Record<string, Record<string, string>>> = {
  "a client_secret": { client_id: "machine", client_secret: "secret of machine" },
  "a client_assertion": {
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: "e30.e30.c2ln",
  },
  "half an assertion": { client_assertion: "e30.e30.c2ln" },
}

/** Authorization headers that authenticate nobody: another scheme, Basic that cannot be read, and no scheme at all. */
const headers = ["Bearer abc", "DPoP abc", "Negotiate abc", "Basic ###", "Basic", "abc"]

/** An Authorization header is one way to authenticate, whatever its scheme; credentials in the body are another. */
const twoWays: ReadonlyArray<Case> = endpoints.flatMap((path) => [
  ...headers.flatMap((authorization) =>
    Object.entries(inBodies).map(([what, fields]): Case => ({
      title: `RFC 6749 §2.3, §5.2: at ${path} "${authorization}" beside ${what} is more than one method`,
      rule: "client.one-method",
      options: asking(),
      run: (w) => post(w, path, undefined, fields, { authorization }),
      expect: {
        ...refused("invalid_request", "The client authenticates by more than one method."),
        headers: { "www-authenticate": undefined },
      },
    })),
  ),
  ...headers.map((authorization): Case => {
    const isBasic = authorization.startsWith("Basic")
    return {
      title: `RFC 6749 §5.2: at ${path} "${authorization}" alone is answered 401, with the scheme that there is`,
      rule: isBasic ? "client.basic-form" : "client.scheme",
      options: asking(),
      run: (w) => post(w, path, undefined, { client_id: "machine" }, { authorization }),
      expect: failed(isBasic ? "The Basic credentials cannot be read." : "Client authentication uses an unsupported scheme."),
    }
  }),
])

/** Client authentication: RFC 6749 §2.3, §3.2.1. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "RFC 6749 §2.3.1: a client authenticates by Basic",
    rule: undefined,
    run: (w) => ask(w, { authorization: basic("machine") }),
    expect: { status: 200, json: { token_type: "Bearer", scope: "api.read api.write" } },
  },
  {
    title: "specification §5: a client that states no method authenticates by client_secret in the body too",
    rule: undefined,
    run: (w) => ask(w, {}, { client_id: "machine", client_secret: "secret of machine" }),
    expect: { status: 200, json: { token_type: "Bearer" } },
  },
  ...(["client_secret_basic", "client_secret_post"] as const).flatMap((registered) =>
    ["/connect/token", "/connect/introspect", "/connect/revocation", "/connect/deviceauthorization"].flatMap((path) =>
      ([{ authorization: basic("bound") }, {}] as const).map((headers): Case => {
        const used = "authorization" in headers ? "client_secret_basic" : "client_secret_post"
        return {
          title: `RFC 7591 §2: at ${path} a client that is registered for ${registered} ${used === registered ? "may" : "may not"} use ${used}`,
          rule: used === registered ? idle[path] : "client.method",
          options: { clients: [boundTo(registered)] },
          run: (w) => post(w, path, undefined, { ...bound[path], ...(used === "client_secret_post" ? inBody : {}) }, { ...headers }),
          expect: used === registered ? { status: 200 } : failed("Client authentication failed."),
        }
      }),
    ),
  ),
  {
    title: "RFC 6749 §2.3.1 appendix B: Basic credentials are form-decoded, colon, percent, plus, space and ü included",
    rule: undefined,
    run: (w) =>
      ask(w, {
        authorization: `Basic ${Buffer.from(`spicy:${new URLSearchParams({ v: "s:e%c+r &t=ü" }).toString().slice(2)}`).toString("base64")}`,
      }),
    expect: { status: 200 },
  },
  {
    title: "RFC 7617 §2: the scheme's case does not matter",
    rule: undefined,
    run: (w) => ask(w, { authorization: basic("machine").replace("Basic", "bAsIc") }),
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §2.3: another authentication scheme is refused",
    rule: "client.scheme",
    run: (w) => ask(w, { authorization: "Negotiate abc" }, { client_id: "machine" }),
    expect: failed("Client authentication uses an unsupported scheme."),
  },
  {
    title: "RFC 6749 §2.3.1: Basic credentials that are not base64 of id:secret are refused",
    rule: "client.basic-form",
    run: (w) => ask(w, { authorization: "Basic ###" }, { client_id: "machine" }),
    expect: failed("The Basic credentials cannot be read."),
  },
  {
    title: "RFC 6749 §2.3: two authentication methods at once are refused",
    rule: "client.one-method",
    run: (w) => ask(w, { authorization: basic("machine") }, { client_id: "machine", client_secret: "secret of machine" }),
    expect: refused("invalid_request", "The client authenticates by more than one method."),
  },
  {
    title: "RFC 6749 §2.3: a client_id in the body that is not the Basic header's is refused",
    rule: "client.same-id",
    run: (w) => ask(w, { authorization: basic("machine") }, { client_id: "web" }),
    expect: failed("The client_id in the body is not the authenticated client's."),
  },
  ...["YQ=", "YTpi=", "YWJjOg=", "YTpi==", "", "Zm9v"].map((credentials): Case => ({
    title: `RFC 7617 §2: Basic credentials "${credentials}", badly padded or without a client, are refused and no defect`,
    rule: undefined,
    run: async (w) => {
      const answer = await ask(w, { authorization: `Basic ${credentials}` })
      w.trails.length = 0
      return answer
    },
    expect: { status: 401, json: { error: "invalid_client" } },
  })),
  {
    title: "RFC 6749 §5.2: no client at all is refused",
    rule: "client.present",
    run: (w) => ask(w, {}),
    expect: failed("The client_id is missing."),
  },
  {
    title: "RFC 6749 §5.2: an unknown client is refused as a wrong secret is",
    rule: "client.known",
    run: (w) => ask(w, { authorization: basic("nobody") }),
    expect: failed("Client authentication failed."),
  },
  {
    title: "RFC 6749 §5.2: a disabled client is refused",
    rule: "client.enabled",
    run: (w) => token(w, undefined, { grant_type: "refresh_token", refresh_token: "x" }, { authorization: basic("disabled") }),
    expect: failed("Client authentication failed."),
  },
  {
    title: "RFC 6749 §3.2.1: a confidential client that sends no secret is refused",
    rule: "client.secret-present",
    run: (w) => ask(w, {}, { client_id: "machine" }),
    expect: failed("The client must authenticate."),
  },
  {
    title: "RFC 6749 §2.3.1: an empty secret counts as none",
    rule: "client.secret-present",
    run: (w) => ask(w, { authorization: basic("machine", "") }),
    expect: failed("The client must authenticate."),
  },
  {
    title: "RFC 6749 §2.1: a public client that sends a secret is refused",
    rule: "client.secret-unexpected",
    run: (w) => token(w, undefined, { grant_type: "refresh_token", refresh_token: "x", client_id: "spa", client_secret: "x" }),
    expect: failed("Client authentication failed."),
  },
  {
    title: "RFC 6749 §2.3.1: a wrong secret is refused",
    rule: "client.secret-matches",
    run: (w) => ask(w, { authorization: basic("machine", "wrong") }),
    expect: failed("Client authentication failed."),
  },
  {
    title: "RFC 6749 §2.3.1: a secret in the URL is not looked at",
    rule: "client.present",
    run: async (w) =>
      (await import("../support/visitor.ts")).said(
        await w.send({
          method: "POST",
          path: "/connect/token",
          query: "client_id=machine&client_secret=secret+of+machine",
          body: "grant_type=client_credentials",
          headers: { "content-type": "application/x-www-form-urlencoded" },
        }),
      ),
    expect: failed("The client_id is missing."),
  },
  {
    title: "RFC 6749 §2.3.1, RFC 6585 §4: after twenty wrong secrets from one address even the right one is 429, with Retry-After",
    rule: "client.attempts",
    run: async (w) => {
      for (let tries = 0; tries < 20; tries++) await ask(w, { authorization: basic("machine", `guess ${tries}`) })
      return ask(w, { authorization: basic("machine") })
    },
    expect: { ...refused("invalid_client", "Too many failed attempts. Try again later.", 429), headers: { "retry-after": "60" } },
  },
  {
    title: "RFC 6749 §2.3.1: after nineteen it is not",
    rule: undefined,
    run: async (w) => {
      for (let tries = 0; tries < 19; tries++) await ask(w, { authorization: basic("machine", `guess ${tries}`) })
      return ask(w, { authorization: basic("machine") })
    },
    expect: { status: 200 },
  },
  {
    title: "RFC 6749 §2.3.1: wrong secrets hold up neither another client nor another address, and nobody for longer than a minute",
    rule: undefined,
    run: async (w) => {
      for (let tries = 0; tries < 25; tries++) await ask(w, { authorization: basic("machine", `guess ${tries}`) })
      const elsewhere = said(
        await w.send({
          method: "POST",
          path: "/connect/token",
          body: "grant_type=client_credentials",
          headers: { "content-type": "application/x-www-form-urlencoded", authorization: basic("machine") },
          address: "192.0.2.2",
        }),
      )
      const other = await ask(w, { authorization: basic("spicy", "s:e%c+r &t=ü") })
      w.pass(60)
      const later = await ask(w, { authorization: basic("machine") })
      return { ...later, json: { elsewhere: elsewhere.status, other: other.status, later: later.status } }
    },
    expect: { status: 200, json: { elsewhere: 200, other: 200, later: 200 } },
  },
  ...(
    [
      ["client.same-id", "another client_id in the body", { client_id: "other" }, 401],
      ["client.one-method", "a second secret in the body", { client_secret: "secret of machine" }, 400],
      [
        "client.one-method",
        "half an assertion beside it",
        { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" },
        400,
      ],
    ] as const
  ).map(([rule, what, fields, status]): Case => ({
    title: `RFC 6749 §2.3.1: a request that is refused for ${what} has no secret checked, so none can be guessed with it`,
    rule,
    options: {
      clientStore: (store) => ({
        ...store,
        verifySecret: () => {
          throw new Error("a secret was checked")
        },
      }),
    },
    run: (w) => ask(w, { authorization: basic("machine", "a guess") }, { ...fields }),
    expect: { status },
  })),
  ...twoWays,
]
