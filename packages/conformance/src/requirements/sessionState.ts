import { first, holds, same } from "../oracle/finding.ts"
import { type Needs, area } from "../requirement/requirement.ts"
import type { Steps } from "../steps/steps.ts"
import { redirectUri } from "../target/roles.ts"

const needs: Needs = { clients: ["web", "other"], person: true, metadata: { check_session_iframe: undefined } }

const row = area("session-state", needs)

/** The session_state of a sign-in, that of another client's sign-in in the same browser, and the parameters of an error. */
const states = async (t: Steps) => {
  const browser = t.browser()
  const one = await t.authorize("web", {}, { browser })
  const other = await t.authorize("other", {}, { browser })
  const failed = await t.authorize("web", { prompt: "none" }, { browser: t.browser() })
  return { one: one.params["session_state"], other: other.params["session_state"], failed: failed.params }
}

/** The CSP directive that restricts who may show a document in a frame (CSP Level 3 §6.4.2). */
const ancestors = /(?:^|[;,])\s*frame-ancestors(?=[\s;,]|$)([^;,]*)/gi

/** Reports whether all policies let pages of an origin frame a document. */
const mayShow = (policies: string, origin: string): boolean =>
  [...policies.matchAll(ancestors)].every(([, sources = ""]) =>
    sources.split(/\s+/).some((each) => ["*", "https:", "https://*", origin].includes(each.toLowerCase())),
  )

/** The response for the iframe, and the origin of a client that frames it. */
const frame = async (t: Steps) => {
  const { status, headers } = await t.send({ method: "GET", url: t.endpoint("check_session_iframe"), headers: {} })
  return { status, headers, origin: new URL(redirectUri(t.client("web"))).origin }
}

/** The session state that clients receive (OpenID Connect Session Management). */
export const sessionState = [
  row(
    "success",
    "OpenID Connect Session Management §2",
    "A successful response carries session_state, without a space",
    states,
    ({ one }) => holds(one !== undefined && /^[^ ]+$/.test(one), "there is none, or it has a space"),
  ),
  row(
    "own",
    "OpenID Connect Session Management §3.2",
    "Two clients are told two values, so that neither can use the other's",
    states,
    ({ one, other }) => holds(one !== undefined && other !== undefined && one !== other, "they are the same, or one is missing"),
  ),
  row(
    "error",
    "OpenID Connect Session Management §2",
    "An error response carries it as well",
    states,
    ({ failed }) =>
      first(
        holds(failed["error"] !== undefined, "there was no error"),
        holds(failed["session_state"] !== undefined, "there is no session_state"),
      ),
    "SHOULD",
  ),
  row("frame", "OpenID Connect Session Management §3.2", "Pages of clients may show the frame", frame, ({ status, headers, origin }) =>
    first(
      same(status, 200, "the status"),
      holds(
        headers.get("x-frame-options") === null && mayShow(headers.get("content-security-policy") ?? "", origin),
        "its headers keep pages of other sites from showing it",
      ),
    ),
  ),
]
