// The rules that requests met, from their trails.

import { details, h } from "./dom.js"

/** The rule that stopped a request, of the last of its trails that has one; undefined where every rule passed. */
export const verdictOf = (trails) => trails.flatMap(({ steps }) => steps.flatMap(({ refused }) => refused ?? [])).at(-1)

/** Rules that ask the person for something are no refusal: the flow went on with a page. */
const asks = { login_required: "sign in", consent_required: "consent" }

const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Counts the rules, in a line. */
export const ruleLine = (trails) => {
  const passed = trails.flatMap(({ steps }) => steps.flatMap((step) => step.passed)).length
  return counted(passed, "rule") + " passed"
}

const row = (endpoint, { rule, cites, reason }, kind, mark) =>
  h(
    "tr",
    { class: kind },
    h("td", { "data-label": "Rule" }, h("span", { class: "sign", "aria-hidden": "true" }, mark), h("code", {}, rule)),
    h("td", { "data-label": "Paragraph" }, cites),
    h("td", { "data-label": kind === "bad" ? "Reason" : "Asked for" }, reason, h("span", { class: "quiet" }, ` (${endpoint})`)),
  )

const stopsOf = (trails, good) =>
  trails.flatMap(({ endpoint, steps }) =>
    steps.flatMap(({ refused }) => {
      if (refused === undefined) return []
      const asked = good && (asks[refused.answer] !== undefined || refused.answer === "refused")
      return [asked ? row(endpoint, refused, "asked", "→") : row(endpoint, refused, "bad", "✗")]
    }),
  )

const passedOf = (trails) => {
  const byEndpoint = new Map()
  for (const { endpoint, steps } of trails)
    byEndpoint.set(endpoint, [...(byEndpoint.get(endpoint) ?? []), ...steps.flatMap((step) => step.passed)])
  return [...byEndpoint].filter(([, passed]) => passed.length > 0)
}

/** The rules of some trails: what stopped a request in a table, and what passed folded by endpoint. */
export const rulesView = (trails, good) => {
  const stops = stopsOf(trails, good).sort((one, other) => (other.className === "bad") - (one.className === "bad"))
  const table = h(
    "table",
    { class: "rules" },
    h("caption", { class: "visually-hidden" }, "Rules that stopped a request or asked the person"),
    h("thead", {}, h("tr", {}, ...["Rule", "Paragraph", "Reason"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...stops),
  )
  return h(
    "div",
    { class: "rules-view" },
    stops.length > 0 && table,
    ...passedOf(trails).map(([endpoint, passed]) =>
      details(
        `${endpoint}: ${counted(passed.length, "rule")} passed`,
        false,
        h("ul", { class: "passed" }, ...passed.map((rule) => h("li", {}, h("code", {}, rule)))),
      ),
    ),
    ...trails.filter(({ fault }) => fault !== undefined).map(({ fault }) => h("p", { class: "fault" }, fault)),
    h("p", { class: "quiet request-ids" }, "Ask later with ", h("code", {}, `postern explain ${trails.at(-1)?.requestId ?? ""}`)),
  )
}

/** The one rule that refused an attack, as its headline. */
export const verdictView = ({ rule, cites, reason }) =>
  h(
    "div",
    { class: "verdict" },
    h("p", { class: "verdict-head" }, "Refused by ", h("code", {}, rule)),
    h("p", {}, h("strong", {}, cites), `: ${reason}`),
  )
