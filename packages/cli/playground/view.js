// Renders a request and its answer: one folded line, and all of it when unfolded.

import { details, h, jsonBlock, pre } from "./dom.js"
import { ruleLine, rulesView } from "./rules.js"

const sign = (good) => h("span", { class: "sign", role: "img", "aria-label": good ? "holds" : "does not hold" }, good ? "✓" : "✗")

const tokenView = ({ name, title, value, decoded, note }) =>
  details(
    title,
    false,
    h(
      "div",
      { class: "token", "data-token": name },
      h("p", { class: "quiet" }, note),
      decoded && h("div", { class: "token-parts" }, jsonBlock(decoded.header), jsonBlock(decoded.payload)),
      pre(value),
    ),
  )

const requestView = ({ method, url, headers = {}, form = {} }) => {
  const [address, query] = url.split("?")
  const sent = {
    ...(query === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(form).length === 0 ? {} : { form }),
  }
  return [pre(`${method} ${address}`), Object.keys(sent).length > 0 && jsonBlock(sent)]
}

const partsOf = ({ status, request, answer, checks = [], tokens = [], trails = [] }) => [
  checks.length > 0 &&
    h(
      "ul",
      { class: "checks" },
      ...checks.map(([label, holds]) => h("li", { class: holds ? "" : "bad" }, sign(holds), h("span", {}, label))),
    ),
  ...tokens.map(tokenView),
  request && details("Request", false, ...requestView(request)),
  answer && details(answer.status === undefined ? "Response" : `Response ${answer.status}`, false, jsonBlock(answer)),
  trails.length > 0 && details(`Rules: ${ruleLine(trails)}`, status !== "done", rulesView(trails, status !== "refused")),
]

/** A call as an item of a list. `open` tells whether it is unfolded. */
export const callView = (call, open = false) => {
  const { id, title, text, badge, status } = call
  const parts = partsOf(call).filter((part) => part !== false && part !== undefined)
  const head = [
    h("span", { class: "call-mark", "aria-hidden": "true" }),
    h("span", { class: "call-words" }, h("span", { class: "call-title" }, title), h("span", { class: "call-text" }, text)),
    h("span", { class: "pill" }, badge),
  ]
  return h(
    "li",
    { class: "call", "data-step": id, "data-status": status },
    parts.length === 0
      ? h("div", { class: "call-head" }, ...head)
      : h("details", { open }, h("summary", { class: "call-head" }, ...head), h("div", { class: "call-body" }, ...parts)),
  )
}
