import type { OutboundPort } from "@postern/core/ports"
import { type JsonObject, secretOf } from "@postern/core"
import { ownDetails } from "../target/details.ts"
import { type Change, at, fault, lacking, members, withStatus, without } from "./change.ts"
import type { Fault } from "./fault.ts"

const asking = (id: string, title: string, paragraph: string, change: Change): Fault =>
  fault(`ciba.${id}`, title, paragraph, ["ciba"], at("/connect/ciba", change))

type Send = NonNullable<OutboundPort["post"]>
type Message = Parameters<Send>[1]

/** Changes the notifications to clients about CIBA requests. Undefined drops one. */
const telling = (id: string, title: string, paragraph: string, change: (message: Message) => Message | undefined): Fault => ({
  id: `ciba.${id}`,
  title,
  paragraph,
  near: ["ciba"],
  alteration: {
    options: (options) => {
      const { outbound } = options
      const post: Send = (url, message, signal) => {
        const changed = url.includes("/ciba/") ? change(message) : message
        return changed === undefined || outbound?.post === undefined
          ? { _tag: "Fetched", status: 204, body: "" }
          : outbound.post(url, changed, signal)
      }
      return outbound === undefined ? options : { ...options, outbound: { ...outbound, post } }
    },
  },
})

/** Changes the members of a message. */
const rewritten =
  (change: (found: Readonly<Record<string, unknown>>) => object) =>
  (message: Message): Message => {
    const found = JSON.parse(message.text) as Readonly<Record<string, unknown>>
    return { ...message, text: JSON.stringify({ ...found, ...change(found) }) }
  }

/** Removes the granted authorization details from a token. */
const withoutDetails = <Plan extends { readonly claims: JsonObject }>(plan: Plan): Plan => {
  const { authorization_details: _, ...claims } = plan.claims
  return { ...plan, claims }
}

const details = (id: string, title: string, paragraph: string, path: string, change: Change): Fault =>
  fault(`details.${id}`, title, paragraph, ["details"], at(path, change))

/** Changes the HTML of pages. */
const written =
  (change: (html: string) => string): Change =>
  async (answer) =>
    (answer.headers.get("content-type") ?? "").includes("html")
      ? new Response(change(await answer.text()), { status: answer.status, headers: answer.headers })
      : answer

/** Faults of CIBA, of authorization details, and of client ID metadata documents. */
export const extensionFaults: ReadonlyArray<Fault> = [
  asking("stored", "lets caches keep what it answers to a client that asks a person", "CIBA Core §7.3", without("cache-control")),
  asking("created", "answers a client that asks a person with 201", "CIBA Core §7.3", withStatus(200, 201)),
  asking("error-status", "refuses a client that asks a person with 403", "CIBA Core §13", withStatus(400, 403)),
  asking("no-expiry", "does not say how long a person is waited for", "CIBA Core §7.3", lacking("expires_in")),
  asking(
    "id-short",
    "numbers the requests of clients that ask people",
    "CIBA Core §7.3",
    members(({ auth_req_id: id }) => (id === undefined ? {} : { auth_req_id: "17" })),
  ),
  asking(
    "unknown-person",
    "calls a person whom it does not know by another error",
    "CIBA Core §13",
    members(({ error }) => (error === "unknown_user_id" ? { error: "invalid_request" } : {})),
  ),
  fault(
    "ciba.denial-hidden",
    "lets a client wait for a person who has refused",
    "CIBA Core §11",
    ["ciba"],
    at(
      "/connect/token",
      members(({ error }) => (error === "access_denied" ? { error: "authorization_pending" } : {})),
    ),
  ),
  telling("notice-lost", "tells no client of a result", "CIBA Core §10.2", () => undefined),
  telling("notice-token", "tells a client of a result with another token than the client's", "CIBA Core §10.2", (message) => ({
    ...message,
    authorization: secretOf("Bearer somebody-else"),
  })),
  telling("notice-unproved", "tells a client of a result without the client's token", "CIBA Core §10.2", ({ contentType, text }) => ({
    contentType,
    text,
  })),
  telling("notice-form", "tells a client of a result as a form", "CIBA Core §10.2", (message) => ({
    ...message,
    contentType: "application/x-www-form-urlencoded",
  })),
  telling(
    "notice-other",
    "tells a client of another request",
    "CIBA Core §10.2",
    rewritten(() => ({ auth_req_id: "another" })),
  ),
  telling(
    "notice-tokens",
    "sends tokens to a client that wants to fetch them",
    "CIBA Core §10.2",
    rewritten(({ access_token }) => (access_token === undefined ? { access_token: "a token" } : {})),
  ),
  telling(
    "push-unbound",
    "pushes an ID token of no request",
    "CIBA Core §10.3.1",
    rewritten(({ id_token }) => (id_token === undefined ? {} : { id_token: "e30.e30.e30" })),
  ),
  telling(
    "push-expired-other",
    "tells a client that is pushed results of a request that ran out by another error",
    "CIBA Core §12",
    rewritten(({ error }) => (error === "expired_token" ? { error: "access_denied" } : {})),
  ),
  details(
    "untold",
    "does not say which authorization details it granted",
    "RFC 9396 §7",
    "/connect/token",
    lacking("authorization_details"),
  ),
  details(
    "more",
    "grants the authorization details of before to a client that asks for less",
    "RFC 9396 §6.1",
    "/connect/token",
    members(({ authorization_details: found }) => (found === undefined ? {} : { authorization_details: [ownDetails.asked] })),
  ),
  details(
    "unasked",
    "grants authorization details that nobody asked for",
    "RFC 9396 §7",
    "/connect/token",
    members(({ access_token: token }) => (token === undefined ? {} : { authorization_details: [ownDetails.asked] })),
  ),
  {
    id: "details.unavailable",
    title: "tells APIs no authorization details, neither in access tokens nor at introspection",
    paragraph: "RFC 9396 §9",
    near: ["details"],
    alteration: {
      options: (options) => ({ ...options, signer: { ...options.signer, sign: (plan) => options.signer.sign(withoutDetails(plan)) } }),
      answer: at("/introspect", lacking("authorization_details")),
    },
  },
  details(
    "types",
    "lists types of authorization details that are no texts",
    "RFC 9396 §10",
    "/openid-configuration",
    members(() => ({ authorization_details_types_supported: [{ type: "report" }] })),
  ),
  fault(
    "details.unseen",
    "does not show people what authorization details say",
    "RFC 9396 §11.2",
    ["details"],
    written((html) => html.replaceAll("Hohe Warte", "…")),
  ),
  fault(
    "document.host-unseen",
    "shows the name of a client that nobody registered, and not its host",
    "Client ID Metadata Document §6.4",
    ["document"],
    written((html) => html.replaceAll("documents.conformance.test", "Conformance")),
  ),
  fault(
    "document.none-unlisted",
    "knows clients by their documents and does not list that they need no secret",
    "Client ID Metadata Document §6",
    ["discovery"],
    at(
      "/openid-configuration",
      members(({ token_endpoint_auth_methods_supported: methods }) => ({
        token_endpoint_auth_methods_supported: Array.isArray(methods) ? methods.filter((method) => method !== "none") : methods,
      })),
    ),
  ),
]
