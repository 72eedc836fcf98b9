import { first, holds, shown } from "../oracle/finding.ts"
import { type Requirement, requirement } from "../requirement/requirement.ts"

/** Duties of a provider's pages towards the browser (RFC 9700 §4). */
export const pages: ReadonlyArray<Requirement> = [
  requirement({
    id: "authorize.not-framed",
    paragraph: "RFC 9700 §4.16",
    level: "MUST",
    title: "Other sites cannot put the sign-in page into a frame",
    needs: { clients: ["web"], person: true },
    steps: (t) => t.authorize("web", {}, { choices: { "sign-in": "stop" } }),
    oracle: ({ last: { headers } }) =>
      holds(
        /frame-ancestors\s+'(?:none|self)'/.test(headers.get("content-security-policy") ?? "") ||
          /^(?:deny|sameorigin)$/i.test(headers.get("x-frame-options") ?? ""),
        "neither Content-Security-Policy nor X-Frame-Options keeps them from it",
      ),
  }),
  requirement({
    id: "authorize.redirect-not-307",
    paragraph: "RFC 9700 §4.12",
    level: "MUST",
    title: "After a form with a password the browser is not sent on with 307",
    needs: { clients: ["web"], person: true },
    steps: (t) => t.authorize("web"),
    oracle: ({ last }) => holds(last.status !== 307 && last.status !== 308, `the status is ${last.status}`),
  }),
  requirement({
    id: "authorize.referrer",
    paragraph: "RFC 9700 §4.2.4",
    level: "SHOULD",
    title: "The sign-in page tells no other site where it was",
    needs: { clients: ["web"], person: true },
    steps: (t) => t.authorize("web", {}, { choices: { "sign-in": "stop" } }),
    oracle: ({ last: { headers } }) =>
      holds(
        /no-referrer|same-origin/.test(headers.get("referrer-policy") ?? ""),
        `Referrer-Policy is ${shown(headers.get("referrer-policy"))}`,
      ),
  }),
  requirement({
    id: "authorize.cookies",
    paragraph: "RFC 6265 §4.1.2.5",
    level: "SHOULD",
    title: "Cookies of the sign-in are for HTTP only, and over https for https only",
    needs: { clients: ["web"], person: true },
    steps: async (t) => {
      const browser = t.browser()
      const { last } = await t.authorize("web", {}, { browser })
      return { cookies: await browser.cookies(last.sent.url), isSecure: t.target.issuer.startsWith("https:") }
    },
    oracle: ({ cookies, isSecure }) =>
      first(
        holds(
          cookies.some((each) => each.httpOnly),
          "no cookie is for HTTP only",
        ),
        ...cookies.map((each) => holds(each.secure || !isSecure, `the cookie ${each.key} is also sent without TLS`)),
      ),
  }),
]
