import type { ClientMetadata } from "@postern/core"
import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose"
import { clientKey, opened } from "../support/clientKeys.ts"
import { authorize, follow, headerOf, interactionOf, post, redeem, request, signedIn } from "../support/flows.ts"
import type { Said } from "../support/visitor.ts"
import { type World, type WorldOptions, clients, issuer } from "../support/world.ts"
import { type Case, sentBack, shown } from "./case.ts"

const ec = await clientKey("ECDH-ES")
const jwks = { keys: [ec.publicJwk] }
const encrypted = { authorization_encrypted_response_alg: "ECDH-ES", jwks } as const

type Changes = Readonly<Record<string, string | undefined>>

/** The usual world, in which `hybrid` is registered for more. */
const registered = (more: object): WorldOptions => ({
  // Members of features have no static type.
  clients: clients.map((each) => (each.client_id === "hybrid" ? ({ ...each, ...more } as ClientMetadata) : each)),
})

/** The claims of a response, verified as its client verifies it (JARM §2.4). */
const verified = async (w: World, response = ""): Promise<Record<string, unknown>> => {
  const { payload } = await jwtVerify(response, createLocalJWKSet({ keys: [...(await w.signer.keys())] }), {
    issuer,
    audience: "hybrid",
    requiredClaims: ["exp"],
    currentDate: new Date(w.now() * 1000),
  })
  return payload
}

/** An answer by which its JWT and its place are told: everything that came, and everything in it. */
const told = async (w: World, answer: Said, open = (response: string): Promise<string> => Promise.resolve(response)): Promise<Said> => {
  const { response = "", ...beside } = answer.params
  const jwt = await open(response)
  const { exp, ...claims } = await verified(w, jwt)
  const place = answer.page === undefined ? (/[?#](?=response=)/.exec(answer.header("location") ?? "")?.[0] ?? "nowhere") : "form"
  return { ...answer, json: { ...claims, life: Number(exp) - w.now(), place, beside: Object.keys(beside), alg: headerOf(jwt)["alg"] } }
}

const ask = (changes: Changes) => async (w: World) => told(w, await authorize(await signedIn(w), "hybrid", { nonce: "n", ...changes }))

const modeRefused = { error: "invalid_request", error_description: "The client may not use this response_mode." }
const common = { iss: issuer, aud: "hybrid", state: "st", life: 600, beside: [], alg: "RS256" }

/** Modes, response types, and the place where the JWT comes (JARM §2.3). */
const places: ReadonlyArray<readonly [mode: string, type: string, place: string, paragraph: string]> = [
  ["jwt", "code", "?", "§2.3.4"],
  ["jwt", "code id_token", "#", "§2.3.4"],
  ["jwt", "id_token token", "#", "§2.3.4"],
  ["query.jwt", "code", "?", "§2.3.1"],
  ["fragment.jwt", "code", "#", "§2.3.2"],
  ["fragment.jwt", "code token", "#", "§2.3.2"],
  ["form_post.jwt", "code", "form", "§2.3.3"],
  ["form_post.jwt", "code id_token token", "form", "§2.3.3"],
]

/** Authorization responses as JWTs (JARM). */
export const cases: ReadonlyArray<Case> = [
  ...places.map(([response_mode, response_type, place, paragraph]): Case => ({
    title: `JARM ${paragraph}, §2.1: ${response_mode} with ${response_type} is one signed JWT, ${place === "form" ? "in a form" : `after the ${place}`}`,
    rule: undefined,
    run: ask({ response_mode, response_type }),
    expect: { status: place === "form" ? 200 : 303, json: { ...common, place } },
  })),
  {
    title: "JARM §2.1: the JWT holds the code of the plain response, and the code is good",
    rule: undefined,
    run: async (w) => {
      const answer = await ask({ response_mode: "jwt" })(w)
      return redeem(w, String(answer.json?.["code"]), "hybrid")
    },
    expect: { status: 200, json: { token_type: "Bearer" } },
  },
  {
    title:
      "JARM §2.1, OpenID Connect Core §3.3.2.11: the JWT holds the tokens of the plain response, and the ID token binds the code in it",
    rule: undefined,
    run: async (w) => {
      const answer = await ask({ response_mode: "jwt", response_type: "code id_token token" })(w)
      const { id_token, access_token, token_type, expires_in, scope } = answer.json ?? {}
      const { c_hash, at_hash, nonce } = decodeJwt(String(id_token))
      const hashes = [typeof c_hash, typeof at_hash, typeof access_token]
      return { ...answer, json: { hashes, nonce, token_type, expires_in, scope } }
    },
    expect: {
      status: 303,
      json: { hashes: ["string", "string", "string"], nonce: "n", token_type: "Bearer", expires_in: "3600", scope: "openid" },
    },
  },
  {
    title: "JARM §2.1: a denial that a person gives is a JWT too",
    rule: "person.consent-not-denied",
    options: registered({ require_consent: true }),
    run: async (w) => {
      const visitor = await signedIn(w)
      const asked = await follow(visitor, await visitor.get("/connect/authorize", request("hybrid", { response_mode: "jwt" })))
      const answer = await visitor.submit(asked.page, [
        ["interaction", interactionOf(asked)],
        ["decision", "deny"],
      ])
      return told(w, await follow(visitor, answer))
    },
    expect: { status: 303, json: { ...common, error: "access_denied", place: "?" } },
  },
  {
    title: "JARM §2.1: an error that nobody was asked for is a JWT too, in its place",
    rule: "person.signed-in",
    run: async (w) =>
      told(w, await w.visitor().get("/connect/authorize", request("hybrid", { response_mode: "form_post.jwt", prompt: "none" }))),
    expect: { status: 200, json: { ...common, error: "login_required", place: "form" } },
  },
  {
    title: "JARM §2.1: an error about the request is a JWT too, for tokens in the fragment",
    rule: "authorize.nonce-required",
    run: ask({ response_mode: "jwt", response_type: "id_token", nonce: undefined }),
    expect: { status: 303, json: { ...common, error: "invalid_request", error_description: "The nonce is missing.", place: "#" } },
  },
  {
    title: "JARM §2.1: a redirect_uri that is not the client's gets a page, whatever the mode",
    rule: "authorize.redirect-uri-registered",
    run: async (w) => authorize(await signedIn(w), "hybrid", { response_mode: "jwt", redirect_uri: "https://evil.example/" }),
    expect: shown("redirect_uri_invalid", "invalid_request"),
  },
  {
    title: "JARM §2.3.1: tokens come in no query that is not encrypted; the error is a JWT in the fragment",
    rule: "authorize.response-mode-query",
    run: ask({ response_mode: "query.jwt", response_type: "code id_token" }),
    expect: {
      status: 303,
      json: { ...common, error: "invalid_request", error_description: "The response_mode query.jwt cannot carry a token.", place: "#" },
    },
  },
  {
    title: "JARM §2.3.1: tokens come in a query that is encrypted to the client",
    rule: undefined,
    options: registered(encrypted),
    run: async (w) => {
      const answer = await authorize(await signedIn(w), "hybrid", {
        nonce: "n",
        response_mode: "query.jwt",
        response_type: "code id_token",
      })
      const read = await told(w, answer, async (jwe) => (await opened(jwe, "ECDH-ES")).text)
      return { ...read, json: { ...read.json, id_token: typeof read.json?.["id_token"] } }
    },
    expect: { status: 303, json: { ...common, id_token: "string", place: "?" } },
  },
  {
    title: "JARM §2.2: signed, then encrypted with A128CBC-HS256 where the client names nothing else; an error too",
    rule: "person.signed-in",
    options: registered(encrypted),
    run: async (w) => {
      const answer = await w.visitor().get("/connect/authorize", request("hybrid", { response_mode: "jwt", prompt: "none" }))
      const { header, text } = await opened(answer.params["response"] ?? "", "ECDH-ES")
      return { ...answer, json: { ...(await verified(w, text)), enc: header["enc"], cty: header["cty"] } }
    },
    expect: { status: 303, json: { error: "login_required", aud: "hybrid", enc: "A128CBC-HS256", cty: "JWT" } },
  },
  {
    title: "JARM §3: encrypted by the content encryption that the client names",
    rule: undefined,
    options: registered({ ...encrypted, authorization_encrypted_response_enc: "A256GCM" }),
    run: async (w) => {
      const answer = await authorize(await signedIn(w), "hybrid", { response_mode: "jwt" })
      const { header } = await opened(answer.params["response"] ?? "", "ECDH-ES")
      return { ...answer, json: { enc: header["enc"] } }
    },
    expect: { status: 303, json: { enc: "A256GCM" } },
  },
  {
    title: "JARM §2.2: where the client's keys cannot be fetched nothing is answered in the clear",
    rule: undefined,
    options: {
      ...registered({ authorization_encrypted_response_alg: "ECDH-ES", jwks_uri: "https://app.example/jwks" }),
      more: { outbound: { fetch: () => ({ _tag: "Unfetched", reason: "no such host" }) } },
    },
    run: async (w) => authorize(await signedIn(w), "hybrid", { response_mode: "jwt" }),
    expect: shown("unavailable", "temporarily_unavailable", 503),
  },
  {
    title: "JARM §3: signed by the algorithm that the client names",
    rule: undefined,
    options: registered({ authorization_signed_response_alg: "ES256" }),
    run: ask({ response_mode: "jwt" }),
    expect: { status: 303, json: { ...common, alg: "ES256" } },
  },
  {
    title: "RFC 9126 §2.1, JARM §2.3: a pushed request is answered in the mode that it was pushed with",
    rule: undefined,
    run: async (w) => {
      const pushed = await post(w, "/connect/par", "hybrid", request("hybrid", { response_mode: "jwt" }))
      const query = { client_id: "hybrid", request_uri: String(pushed.json?.["request_uri"]) }
      return told(w, await (await signedIn(w)).get("/connect/authorize", query))
    },
    expect: { status: 303, json: { ...common, place: "?" } },
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: a client that restricts itself to jwt gets no plain response",
    rule: "authorize.response-mode-allowed",
    options: registered({ response_modes: ["jwt"] }),
    run: ask({}),
    expect: { status: 303, json: { ...common, ...modeRefused, place: "?" } },
  },
  {
    title: "JARM §2.1, FAPI 2.0 Message Signing §5.4: nor an error of another request that names no mode",
    rule: "authorize.scope-allowed",
    options: registered({ response_modes: ["fragment.jwt"] }),
    run: ask({ response_mode: "fragment.jwt", scope: "openid nonsense" }),
    expect: { status: 303, json: { ...common, error: "invalid_scope", place: "#" } },
  },
  ...["query", "form_post", "smoke"].map((response_mode): Case => ({
    title: `JARM §2.1, FAPI 2.0 Message Signing §5.4: nor the refusal of the mode ${response_mode}`,
    rule: response_mode === "smoke" ? "authorize.response-mode-known" : "authorize.response-mode-allowed",
    options: registered({ response_modes: ["form_post.jwt"] }),
    run: ask({ response_mode }),
    expect: { status: 200, json: { ...common, error: "invalid_request", place: "form" } },
  })),
  {
    title: "FAPI 2.0 Message Signing §5.4: a client that restricts itself to the query gets the refusal of jwt there",
    rule: "authorize.response-mode-allowed",
    options: registered({ response_modes: ["query"] }),
    run: async (w) => authorize(await signedIn(w), "hybrid", { response_mode: "jwt" }),
    expect: sentBack("invalid_request", modeRefused.error_description),
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: jwt is query.jwt for a code, and the client may use it",
    rule: undefined,
    options: registered({ response_modes: ["query.jwt"] }),
    run: ask({ response_mode: "jwt" }),
    expect: { status: 303, json: { ...common, place: "?" } },
  },
  {
    title: "FAPI 2.0 Message Signing §5.4: a plain response is right for a client that allows itself the query",
    rule: undefined,
    options: registered({ response_modes: ["query", "jwt"] }),
    run: async (w) => authorize(await signedIn(w), "hybrid"),
    expect: { status: 303, params: { state: "st", iss: issuer } },
  },
]
