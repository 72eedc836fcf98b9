import { type Sent, encoded, pairsOf } from "../exchange/exchange.ts"
import type { Fault } from "./fault.ts"

/** The request as seen by a server that reads form parameters from the query. */
const asForm = (sent: Sent): Sent => {
  const url = new URL(sent.url)
  if (url.search === "" || !/\/(?:token|introspect|revocation|par|ciba)$/.test(url.pathname)) return sent
  const { client_id: id, client_secret: secret, ...rest } = Object.fromEntries(url.searchParams)
  const proof =
    id === undefined || secret === undefined ? {} : { authorization: `Basic ${btoa([id, secret].map(encodeURIComponent).join(":"))}` }
  const fields = encoded(pairsOf(secret === undefined && id !== undefined ? { ...rest, client_id: id } : rest))
  url.search = ""
  return {
    ...sent,
    method: "POST",
    url: url.href,
    headers: { ...sent.headers, "content-type": "application/x-www-form-urlencoded", ...proof },
    body: [sent.body ?? "", fields].filter((each) => each !== "").join("&"),
  }
}

/** The field that marks a request for a result that comes second. */
const second = "x-conformance-second"

/** The auth_req_ids that were asked about. Each is used in one test alone. */
const polled = new Set<string>()

/** Marks the second request for a result, and keeps it from the provider, which would give the result away. */
const markedSecond = (sent: Sent): Sent => {
  const id = new URLSearchParams(sent.body ?? "").get("auth_req_id")
  if (id === null || !new URL(sent.url).pathname.endsWith("/token")) return sent
  if (!polled.delete(id)) {
    polled.add(id)
    return sent
  }
  return { ...sent, headers: { ...sent.headers, [second]: "1" }, body: (sent.body ?? "").replace(encodeURIComponent(id), "none") }
}

/** Requests that are read in another way than intended. */
export const requestFaults: ReadonlyArray<Fault> = [
  {
    id: "request.query-as-form",
    title: "reads parameters, secrets and tokens from the address where it asks for a form",
    paragraph: "RFC 6749 §3.2, §2.3.1",
    near: ["client", "token", "revocation", "introspection"],
    alteration: { request: asForm },
  },
  {
    id: "request.any-method",
    title: "answers GET where POST alone is right",
    paragraph: "RFC 6749 §3.2",
    near: ["token", "pushed", "registration", "ciba", "introspection"],
    alteration: {
      answer: (answer, { method }) => (method === "GET" && answer.status === 405 ? Response.json({ active: true }) : answer),
    },
  },
  {
    id: "request.second-poll",
    title: "tells a client that asks for a result a second time to slow down, though the result is there",
    paragraph: "CIBA Core §11",
    near: ["ciba"],
    alteration: {
      request: markedSecond,
      answer: (answer, { headers }) => (headers.has(second) ? Response.json({ error: "slow_down" }, { status: 400 }) : answer),
    },
  },
]
