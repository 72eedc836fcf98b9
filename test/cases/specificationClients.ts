import { basic, post, tokensFor } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import type { World } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

type Fields = Readonly<Record<string, string>>

/** The endpoints at which clients authenticate, each with a client that may use it and what it sends. */
const endpoints: ReadonlyArray<{ readonly path: string; readonly id: string; readonly fields: (w: World) => Promise<Fields> }> = [
  { path: "/connect/token", id: "machine", fields: async () => ({ grant_type: "client_credentials" }) },
  { path: "/connect/deviceauthorization", id: "screen", fields: async () => ({}) },
  { path: "/connect/revocation", id: "web", fields: async (w) => ({ token: (await tokensFor(w)).refresh_token }) },
]

const failed = (description: string): Case["expect"] => ({
  ...refused("invalid_client", description, 401),
  headers: { "www-authenticate": 'Basic realm="postern", charset="UTF-8"', "cache-control": "no-store" },
})

/** Ways in which a client may say who it is, and their outcomes. */
const presented: ReadonlyArray<{
  readonly words: string
  readonly rule: string | undefined
  readonly headers?: (id: string) => Record<string, string>
  readonly body?: (id: string) => Fields
  readonly expect: Case["expect"]
}> = [
  { words: "Basic authenticates", rule: undefined, headers: (id) => ({ authorization: basic(id) }), expect: { status: 200 } },
  {
    words: "client_id and client_secret in the body authenticate",
    rule: undefined,
    body: (id) => ({ client_id: id, client_secret: `secret of ${id}` }),
    expect: { status: 200 },
  },
  { words: "no client_id is refused", rule: "client.present", expect: failed("The client_id is missing.") },
  {
    words: "an unknown client_id is refused",
    rule: "client.known",
    body: () => ({ client_id: "nobody", client_secret: "x" }),
    expect: failed("Client authentication failed."),
  },
  {
    words: "a confidential client without its secret is refused",
    rule: "client.secret-present",
    body: (id) => ({ client_id: id }),
    expect: failed("The client must authenticate."),
  },
  {
    words: "a wrong secret by Basic is refused",
    rule: "client.secret-matches",
    headers: (id) => ({ authorization: basic(id, "wrong") }),
    expect: failed("Client authentication failed."),
  },
  {
    words: "a wrong secret in the body is refused",
    rule: "client.secret-matches",
    body: (id) => ({ client_id: id, client_secret: "wrong" }),
    expect: failed("Client authentication failed."),
  },
  {
    words: "Basic and a secret in the body at once are refused",
    rule: "client.one-method",
    headers: (id) => ({ authorization: basic(id) }),
    body: (id) => ({ client_id: id, client_secret: `secret of ${id}` }),
    expect: refused("invalid_request", "The client authenticates by more than one method."),
  },
]

const clientCases: ReadonlyArray<Case> = endpoints.flatMap(({ path, id, fields }) =>
  presented.map(({ words, rule, headers, body, expect }): Case => ({
    title: `specification §5: at ${path} ${words}`,
    rule,
    run: async (w) => post(w, path, undefined, { ...(await fields(w)), ...body?.(id) }, headers?.(id)),
    expect,
  })),
)

const methodCases: ReadonlyArray<Case> = [
  ...endpoints.map(({ path }): Case => ({
    title: `specification §4: ${path} takes POST alone`,
    rule: undefined,
    run: (w) => w.visitor().get(path),
    expect: { status: 405, headers: { allow: "POST, OPTIONS" } },
  })),
  ...["/connect/authorize", "/connect/userinfo"].map((path): Case => ({
    title: `specification §4: ${path} takes GET, and POST as OpenID Connect Core §3.1.2.1 and §5.3.1 have it, and nothing else`,
    rule: undefined,
    run: async (w) => said(await w.send({ method: "PUT", path })),
    expect: { status: 405, headers: { allow: "GET, POST, HEAD, OPTIONS" } },
  })),
  ...endpoints.map(({ path, id, fields }): Case => ({
    title: `specification §4: ${path} takes application/x-www-form-urlencoded alone`,
    rule: path === "/connect/token" ? "token.form" : path === "/connect/revocation" ? "revocation.form" : "device-authorization.form",
    run: async (w) =>
      said(
        await w.send({
          method: "POST",
          path,
          body: JSON.stringify(await fields(w)),
          headers: { authorization: basic(id), "content-type": "application/json" },
        }),
      ),
    expect: refused("invalid_request", "The body must be application/x-www-form-urlencoded."),
  })),
]

/** Lines of the specification on the endpoints for clients, and on client authentication: specification §4, §5. */
export const cases: ReadonlyArray<Case> = [...clientCases, ...methodCases]
