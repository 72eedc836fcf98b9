import { first, header, holds } from "../oracle/finding.ts"
import type { Requirement } from "../requirement/requirement.ts"
import { Inconclusive } from "../target/target.ts"
import { authorizing } from "./answer.ts"

/** Security requirements on a provider's pages (RFC 9700 §4). */
export const pages: ReadonlyArray<Requirement> = [
  authorizing(
    "not-framed",
    "RFC 9700 §4.16",
    "Other sites cannot put the sign-in page into a frame",
    (t) => t.authorize("web", {}, { choices: { "sign-in": "stop" } }),
    ({ last: { headers } }) =>
      holds(
        /frame-ancestors\s+'(?:none|self)'/.test(headers.get("content-security-policy") ?? "") ||
          /^(?:deny|sameorigin)$/i.test(headers.get("x-frame-options") ?? ""),
        "neither Content-Security-Policy nor X-Frame-Options keeps them from it",
      ),
  ),
  authorizing(
    "redirect-not-307",
    "RFC 9700 §4.12",
    "After a form with a password the browser is not sent on with 307",
    async (t) => {
      const { met, last } = await t.authorize("web")
      const statuses = t.exchanges.filter(({ sent }) => sent.method === "POST").map(({ status }) => status)
      // In a run by hand the pages are unknown, so the requirement is not tried there.
      if (statuses.length === 0) throw new Inconclusive(`of ${met.length} pages none sent a form`, last)
      return statuses
    },
    (statuses) => first(...statuses.map((each) => holds(each !== 307 && each !== 308, `the status is ${each}`))),
  ),
  authorizing(
    "referrer",
    "RFC 9700 §4.2.4",
    "The sign-in page tells no other site where it was",
    (t) => t.authorize("web", {}, { choices: { "sign-in": "stop" } }),
    ({ last }) => header(last, "Referrer-Policy", /no-referrer|same-origin/),
    "SHOULD",
  ),
  authorizing(
    "cookies",
    "RFC 6265 §4.1.2.5",
    "Cookies of the sign-in are for HTTP only, and over https for https only",
    async (t) => {
      const browser = t.browser()
      const { last } = await t.authorize("web", {}, { browser })
      return { cookies: await browser.cookies(last.sent.url), isSecure: t.target.issuer.startsWith("https:") }
    },
    ({ cookies, isSecure }) =>
      first(
        holds(
          cookies.some((each) => each.httpOnly),
          "no cookie is for HTTP only",
        ),
        ...cookies.map((each) => holds(each.secure || !isSecure, `the cookie ${each.key} is also sent without TLS`)),
      ),
    "SHOULD",
  ),
]
