// What a step looks like. Everything from outside enters as text, never as markup.

/** Makes an element. */
export const h = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value)
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false))
  return element
}

const sign = (good) => h("span", { class: "sign", role: "img", "aria-label": good ? "passed" : "refused" }, good ? "✓" : "✗")

const times = new Set(["iat", "exp", "nbf", "auth_time", "updated_at"])

const moment = (seconds) =>
  new Date(seconds * 1000).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })

/** JSON, indented, with moments spelled out beside the numbers that stand for them. */
const jsonNodes = (value, indent = "", name = "") => {
  if (Array.isArray(value) || (typeof value === "object" && value !== null)) {
    const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
    const entries = Object.entries(value)
    if (entries.length === 0) return [open + close]
    if (Array.isArray(value) && value.every((item) => typeof item === "string") && value.join("").length < 40)
      return [`[${value.map((item) => JSON.stringify(item)).join(", ")}]`]
    const deeper = `${indent}  `
    const lines = entries.flatMap(([key, item], at) => [
      `\n${deeper}`,
      ...(Array.isArray(value) ? [] : [h("span", { class: "json-key" }, JSON.stringify(key)), ": "]),
      ...jsonNodes(item, deeper, key),
      at === entries.length - 1 ? "" : ",",
    ])
    return [open, ...lines, `\n${indent}${close}`]
  }
  if (typeof value !== "number")
    return [typeof value === "string" ? JSON.stringify(value) : h("span", { class: "json-number" }, String(value))]
  return [h("span", { class: "json-number" }, String(value)), times.has(name) && h("span", { class: "json-aside" }, ` ${moment(value)}`)]
}

const pre = (...content) => h("pre", { tabindex: "0" }, ...content)

const jsonBlock = (value) => pre(...jsonNodes(value))

const details = (summary, open, ...content) => h("details", { open }, h("summary", {}, summary), ...content)

const tokenView = ({ name, title, value, decoded, note }) =>
  h(
    "section",
    { class: "token", "data-token": name },
    h("h3", {}, title),
    h("p", {}, note),
    decoded === undefined
      ? undefined
      : h(
          "div",
          { class: "token-parts" },
          h("div", {}, h("p", { class: "part-name" }, "Header"), jsonBlock(decoded.header)),
          h("div", {}, h("p", { class: "part-name" }, "Payload"), jsonBlock(decoded.payload)),
        ),
    details("As it was sent", false, pre(value)),
  )

/** The rule that stopped a request. Where the flow went on it asked for the person; else it refused. */
const stopView = ({ rule, cites, reason }, good) => {
  const mark = good ? h("span", { class: "sign", role: "img", "aria-label": "asked for the person" }, "→") : sign(false)
  const words = h("div", {}, h("span", { class: "rule-id" }, rule), h("p", { class: "reason" }, `${reason} (${cites})`))
  return h("li", { class: good ? "asked" : "bad" }, mark, words)
}

const rulesOf = ({ table, passed, refused }, good) => {
  const rules = passed.map((rule) => h("li", {}, sign(true), h("span", { class: "rule-id" }, rule)))
  const stopped = refused === undefined ? [] : [stopView(refused, good)]
  return [h("p", { class: "table-name" }, table), h("ul", { class: "rules" }, ...rules, ...stopped)]
}

const trailView = (trail, good) =>
  h(
    "section",
    { class: "trail", "data-endpoint": trail.endpoint },
    h(
      "p",
      { class: "trail-head" },
      h("strong", {}, trail.endpoint),
      `${trail.outcome} · ${trail.status}`,
      h("span", { class: "quiet" }, h("code", {}, trail.requestId)),
    ),
    ...trail.steps.flatMap((step) => rulesOf(step, good)),
    trail.steps.length === 0 ? h("p", { class: "quiet" }, "No rule stands before this answer.") : undefined,
    trail.fault === undefined ? undefined : h("p", { class: "reason" }, trail.fault),
  )

const countRules = (trails, good) => {
  const passed = trails.reduce((sum, { steps }) => sum + steps.reduce((count, step) => count + step.passed.length, 0), 0)
  const refused = trails.flatMap(({ steps }) => steps.flatMap((step) => (step.refused === undefined ? [] : [step.refused.answer])))
  if (refused.length === 0) return `${passed} passed`
  return good ? `${passed} passed, and the person was asked for (${refused.join(", ")})` : `${passed} passed, then ${refused.join(", ")}`
}

const requestView = ({ method, url, headers = {}, form = {} }) => {
  const [address, query] = url.split("?")
  const sent = {
    ...(query === undefined ? {} : { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(form).length === 0 ? {} : { form }),
  }
  return [pre(`${method} ${address}`), Object.keys(sent).length === 0 ? undefined : jsonBlock(sent)]
}

/** A step of the flow as a list item. */
export const stepView = (step, number) => {
  const good = step.status === "done"
  const { request, answer, checks = [], tokens = [], trails = [] } = step
  return h(
    "li",
    {},
    h(
      "article",
      { class: "step panel", "data-step": step.id, "data-status": step.status, "aria-labelledby": `step-${number}` },
      h(
        "div",
        { class: "step-head" },
        h("span", { class: "step-number", "aria-hidden": "true" }, String(number)),
        h("h2", { id: `step-${number}`, tabindex: "-1" }, step.title),
        h("span", { class: good ? "pill" : "pill pill-bad" }, step.badge),
      ),
      h("p", { class: "step-text" }, step.text),
      checks.length === 0
        ? undefined
        : h(
            "ul",
            { class: "checks" },
            ...checks.map(([label, holds]) => h("li", { class: holds ? "" : "bad" }, sign(holds), h("span", {}, label))),
          ),
      ...tokens.map(tokenView),
      request === undefined ? undefined : details("Request", false, ...requestView(request)),
      answer === undefined
        ? undefined
        : details(answer.status === undefined ? "Answer" : `Answer ${answer.status}`, step.openAnswer === true, jsonBlock(answer)),
      trails.length === 0
        ? undefined
        : details(
            `Rules it met: ${countRules(trails, good)}`,
            !good,
            h("div", { class: "trails" }, ...trails.map((trail) => trailView(trail, good))),
          ),
    ),
  )
}
