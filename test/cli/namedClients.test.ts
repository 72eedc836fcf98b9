import { jwtBearer } from "@postern/core/grants"
import { describe, expect, test } from "vitest"
import { namedClients, scopeFor } from "../../packages/cli/src/mcp/clients.ts"
import { allow, document, documents, webOf } from "../support/documents.ts"
import { authorize, post, signedIn, verifier } from "../support/flows.ts"
import { peerIssuer, peerJwks } from "../support/peer.ts"
import { type World, world } from "../support/world.ts"

const peer = { issuer: peerIssuer, jwks: peerJwks }

/** The rule that refused a client's document, or else the one that refused the request. */
const ruleOf = (w: World): string => {
  const refusals = w.trails.at(-1)?.steps.flatMap(({ refused }) => refused?.rule ?? []) ?? []
  return `refused by ${refusals.find((rule) => /^(?:document|registration)\./.test(rule)) ?? refusals.at(-1)}`
}

/** The web with the documents of all clients that have one, as they publish them. */
const published = () =>
  webOf(Object.fromEntries(namedClients.flatMap(({ document: each }) => (each === undefined ? [] : [[each.client_id, document(each)]]))))
const worldOf = (profile: string) => world(documents(published(), {}, { profile, grants: [jwtBearer({ issuers: [peer] })] }))

/** The page that a person is shown of the client and the tokens that it is given then, or the rule that refuses it. */
const outcome = async (profile: string, name: string, callback: string): Promise<unknown> => {
  const client = namedClients.find((each) => each.name === name)
  const clientId = client?.document?.client_id
  if (client === undefined || clientId === undefined) throw new Error(`no document of ${name}`)
  const w = await worldOf(profile)
  const person = await signedIn(w)
  const [offered, resource] = profile === "mcp" ? ["api.read offline_access", "https://api.example/"] : ["openid offline_access", undefined]
  const asked = await authorize(person, clientId, { redirect_uri: callback, scope: scopeFor(client, offered), resource })
  if (asked.page?.["_tag"] !== "Consent") return ruleOf(w)
  const shown = asked.page["client"] as Record<string, unknown>
  const { code = "" } = (await allow(person, asked)).params
  const fields = { grant_type: "authorization_code", client_id: clientId, code, redirect_uri: callback, code_verifier: verifier }
  const tokens = await post(w, "/connect/token", undefined, fields)
  const { scope, refresh_token: refresh } = tokens.json ?? {}
  const given = tokens.status === 200 ? { scope, refreshes: refresh !== undefined } : ruleOf(w)
  return { shown: [shown["name"], shown["callsItself"], shown["unverified"]], given }
}

const [local, hosted] = ["api.read offline_access", "openid offline_access"]
const full = (scope: string, ...shown: ReadonlyArray<string>) => ({ shown: [...shown, true], given: { scope, refreshes: true } })
const once = (scope: string, ...shown: ReadonlyArray<string>) => ({ shown: [...shown, true], given: { scope, refreshes: false } })
const signing = (...shown: ReadonlyArray<string>) => ({ shown: [...shown, true], given: "refused by client.secret-present" })

/** For each redirect URI of each client: the outcome under the profile mcp, and under the default one. */
const outcomes: ReadonlyArray<readonly [name: string, callback: string, mcp: unknown, byDefault: unknown]> = [
  // A document with http://localhost is none of a client where that may not vary in port (RFC 8252 §8.3).
  ["claude-code", "http://localhost:54545/callback", full(local, "claude.ai", "Claude Code"), "refused by registration.redirect-uris"],
  ["claude-code", "http://127.0.0.1:54545/callback", full(local, "claude.ai", "Claude Code"), "refused by registration.redirect-uris"],
  ["claude-ai", "https://claude.ai/api/mcp/auth_callback", full(local, "claude.ai", "Claude"), full(hosted, "claude.ai", "Claude")],
  // It states private_key_jwt before none, so it has to sign, with the keys that it publishes.
  [
    "chatgpt",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    signing("chatgpt.com", "ChatGPT"),
    signing("chatgpt.com", "ChatGPT"),
  ],
  [
    "chatgpt-connector",
    "https://chatgpt.com/connector/oauth/example",
    full(local, "chatgpt.com", "ChatGPT"),
    full(hosted, "chatgpt.com", "ChatGPT"),
  ],
  ["vs-code", "http://127.0.0.1:33418/", full(local, "vscode.dev", "Visual Studio Code"), full(hosted, "vscode.dev", "Visual Studio Code")],
  ["vs-code", "http://127.0.0.1:51999/", full(local, "vscode.dev", "Visual Studio Code"), full(hosted, "vscode.dev", "Visual Studio Code")],
  [
    "vs-code",
    "https://vscode.dev/redirect",
    full(local, "vscode.dev", "Visual Studio Code"),
    full(hosted, "vscode.dev", "Visual Studio Code"),
  ],
  ["codex", "http://127.0.0.1:61234/callback", full(local, "chatgpt.com", "Codex"), "refused by registration.redirect-uris"],
  // It lists no refresh_token, so it asks for none.
  ["goose", "http://127.0.0.1:50211/oauth_callback", once("api.read", "goose-docs.ai", "Goose"), once("openid", "goose-docs.ai", "Goose")],
  ["goose", "http://[::1]:50211/oauth_callback", once("api.read", "goose-docs.ai", "Goose"), once("openid", "goose-docs.ai", "Goose")],
  ["zed", "http://127.0.0.1:49377/callback", full(local, "zed.dev", "Zed"), full(hosted, "zed.dev", "Zed")],
]

describe("the documents of real clients, as they were seen in 2026 (Client ID Metadata Document §4, RFC 8252 §7.3, RFC 8707 §2)", () => {
  test.for(outcomes)("%s, back to %s", async ([name, callback, mcp, byDefault]) => {
    expect([await outcome("mcp", name, callback), await outcome("default", name, callback)]).toEqual([mcp, byDefault])
  })

  test("each redirect URI of each client with a document has its row", () => {
    const callbacks = namedClients.flatMap((each) => (each.document === undefined ? [] : each.callbacks.map((uri) => [each.name, uri])))
    expect(outcomes.map(([name, callback]) => [name, callback])).toEqual(callbacks)
  })

  const leftOut: ReadonlyArray<readonly [string, string, string, Record<string, string>]> = [
    [
      "claude-ai",
      "/connect/token",
      "token.grant-type-allowed",
      { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "a.b.c" },
    ],
    ["vs-code", "/connect/deviceauthorization", "device-authorization.grant-allowed", { scope: "api.read" }],
    ["goose", "/connect/token", "token.grant-type-allowed", { grant_type: "refresh_token", refresh_token: "r_x" }],
  ]
  test.for(leftOut)("RFC 7591 §3.2.1: %s does not get a grant that it may not have, at %s", async ([name, path, rule, fields]) => {
    const w = await worldOf("mcp")
    const clientId = namedClients.find((each) => each.name === name)?.document?.client_id ?? ""
    const { status, json } = await post(w, path, undefined, { client_id: clientId, ...fields })
    expect([status, json?.["error"], ruleOf(w)]).toEqual([400, "unauthorized_client", `refused by ${rule}`])
  })
})
