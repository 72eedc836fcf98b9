import { type Changes, type Received, json, pairsOf, textOf } from "../exchange/exchange.ts"
import { first, hasStatus, header, holds, refused, refuses, same, shown, status } from "../oracle/finding.ts"
import { type Needs, type Requirement, area } from "../requirement/requirement.ts"
import type { Steps, Way } from "../steps/steps.ts"
import { Inconclusive } from "../target/target.ts"
import { redirectUri, type RoleName } from "../target/roles.ts"
import { answered, codeWith, noCode, stopped } from "./answer.ts"

const metadata = { pushed_authorization_request_endpoint: undefined } as const
const needs: Needs = { clients: ["web"], metadata }
const withPerson: Needs = { ...needs, person: true }

const push = (t: Steps, changes: Changes = {}, role: RoleName = "web"): Promise<Received> =>
  t.post("pushed_authorization_request_endpoint", t.request(role, t.random(32), changes), role)

const pushed = async (t: Steps, changes: Changes = {}): Promise<string> => {
  const received = await push(t, changes)
  const uri = json(received)?.["request_uri"]
  if (received.status !== 201 || typeof uri !== "string") throw new Inconclusive(`no request_uri came: status ${received.status}`, received)
  return uri
}

const visit = (t: Steps, request_uri: string, changes: Changes = {}, way: Way = {}) =>
  t.authorizeWith(pairsOf({ client_id: t.client("web").client_id, request_uri, ...changes }), way)

const tried = area("pushed", needs)
const byPerson = area("pushed", withPerson)

/** Pushed authorization requests (RFC 9126). */
export const pushedRequests: ReadonlyArray<Requirement> = [
  tried("answer", "RFC 9126 §2.2", "A pushed request is answered with 201, a request_uri and its lifetime", push, (received) =>
    first(
      status(received, 201),
      holds(textOf(json(received)?.["request_uri"]).length > 20, `request_uri is ${shown(json(received)?.["request_uri"])}`),
      holds(
        typeof json(received)?.["expires_in"] === "number" && Number(json(received)?.["expires_in"]) > 0,
        `expires_in is ${shown(json(received)?.["expires_in"])}`,
      ),
    ),
  ),
  tried(
    "not-stored",
    "RFC 9126 §2.2",
    "The answer is kept by no cache",
    push,
    (received) => header(received, "Cache-Control", /no-store|no-cache/),
    // The paragraph shows the header only in its example.
    "SHOULD",
  ),
  tried(
    "client",
    "RFC 9126 §2",
    "A client that does not prove itself pushes nothing",
    (t) => t.post("pushed_authorization_request_endpoint", t.request("web", t.random(32)), t.impostor("web")),
    (received) => refused(received, [400, 401], "invalid_client"),
  ),
  tried(
    "request-uri",
    "RFC 9126 §2.1",
    "A pushed request with a request_uri is refused",
    (t) => push(t, { request_uri: "urn:ietf:params:oauth:request_uri:other" }),
    refuses("invalid_request", "invalid_request_object", "request_uri_not_supported"),
  ),
  tried(
    "redirect-uri",
    "RFC 9126 §2.3",
    "A pushed request with an address that is not registered is refused",
    (t) => push(t, { redirect_uri: `${redirectUri(t.client("web"))}/elsewhere` }),
    refuses("invalid_request"),
  ),
  tried(
    "response-type",
    "RFC 9126 §2.3",
    "A pushed request without a response_type is refused",
    (t) => push(t, { response_type: undefined }),
    refuses("invalid_request", "unsupported_response_type"),
  ),
  tried(
    "other-client",
    "RFC 9126 §2.1",
    "A pushed request that names another client is refused",
    (t) => push(t, { client_id: t.client("other").client_id }),
    (received) => refused(received, [400, 401], "invalid_request", "invalid_client"),
    "MUST",
    { clients: ["web", "other"], metadata },
  ),
  tried(
    "method",
    "RFC 9126 §2.3",
    "The endpoint takes POST alone",
    (t) => t.get(t.endpoint("pushed_authorization_request_endpoint")),
    hasStatus(404, 405),
  ),
  ...["client_id", "redirect_uri", "scope", "state"].map((name) =>
    tried(
      `once-${name.replaceAll("_", "-")}`,
      "RFC 6749 §3.1",
      `A pushed request with two of ${name} is refused`,
      (t) => {
        const request = t.request("web", t.random(32))
        return t.post(
          "pushed_authorization_request_endpoint",
          [...request, [name, request.find(([each]) => each === name)?.[1] ?? ""]],
          "web",
        )
      },
      refuses("invalid_request"),
    ),
  ),
  byPerson(
    "used",
    "RFC 9126 §4",
    "A browser that brings the client and the request_uri gets the answer to what was pushed",
    async (t) => {
      const state = t.random()
      return { state, authorized: await visit(t, await pushed(t, { state })) }
    },
    ({ state, authorized }) => codeWith(authorized, state),
  ),
  byPerson(
    "others-ignored",
    "RFC 9126 §4",
    "What the browser brings beside it changes nothing of what was pushed",
    async (t) => {
      const state = t.random()
      return {
        state,
        authorized: await visit(t, await pushed(t, { state }), {
          state: "of the browser",
          scope: "openid email",
          redirect_uri: redirectUri(t.client("web")),
          response_type: "code",
        }),
      }
    },
    ({ state, authorized }) =>
      first(
        holds(authorized.params["error"] === undefined, `it was refused: ${shown(authorized.params["error"])}`),
        same(authorized.params["state"], state, "the state"),
      ),
  ),
  byPerson(
    "once",
    "RFC 9126 §4",
    "A request_uri is used once",
    async (t) => {
      const [uri, browser] = [await pushed(t), t.browser()]
      await visit(t, uri, {}, { browser })
      return visit(t, uri, {}, { browser })
    },
    (again) => holds(again.params["code"] === undefined, "a second code came"),
    "SHOULD",
  ),
  tried(
    "own-client",
    "RFC 9126 §2.2",
    "A request_uri is of the client that pushed it",
    async (t) => visit(t, await pushed(t), { client_id: t.client("other").client_id }),
    (authorized) => first(noCode(authorized), holds(!authorized.met.includes("sign-in"), "a person was asked to sign in")),
    "MUST",
    { ...withPerson, clients: ["web", "other"] },
  ),
  byPerson(
    "unknown",
    "RFC 9126 §4",
    "A request_uri that nobody pushed is refused before anybody is asked to sign in",
    (t) => visit(t, `urn:ietf:params:oauth:request_uri:${t.random(32)}`),
    (authorized) =>
      authorized.leaving === undefined
        ? stopped(authorized)
        : holds(authorized.params["error"] === "invalid_request_uri", `the error is ${shown(authorized.params["error"])}`),
  ),
  tried(
    "expired",
    "RFC 9126 §4",
    "A request_uri that has expired is refused",
    async (t) => {
      const received = await push(t)
      await t.pass(Number(json(received)?.["expires_in"]) + 1)
      return visit(t, textOf(json(received)?.["request_uri"]))
    },
    noCode,
    "MUST",
    { ...withPerson, time: true },
  ),
  tried(
    "required",
    "RFC 9126 §6",
    "A client that must push gets nothing for a request that it did not push",
    (t) => t.authorize("pushing"),
    noCode,
    "MUST",
    { clients: ["pushing"], person: true, metadata },
  ),
  tried(
    "public",
    "RFC 9126 §2",
    "A client without a secret may push, too",
    async (t) => {
      const uri = json(await push(t, {}, "public"))?.["request_uri"]
      return t.authorizeWith(pairsOf({ client_id: t.client("public").client_id, request_uri: textOf(uri) }))
    },
    (authorized) => answered({ ...authorized, asked: [["state", authorized.params["state"] ?? ""]] }, "code"),
    "SHOULD",
    { clients: ["public"], person: true, metadata },
  ),
]
