// Everything from outside enters as text, never as markup.

/** Makes an element. */
export const h = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value)
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false))
  return element
}

/** The element of an id. */
export const at = (id) => document.getElementById(id)

/** A folded part of a page; `name` tells it apart when the page is drawn again. */
export const details = (summary, open, ...content) => h("details", { open }, h("summary", {}, summary), ...content)

/** Runs `action` at a click; a failure is told by `failed`, and a second click waits for the first. */
export const onClick = (button, action, failed) => {
  button.addEventListener("click", () => {
    if (button.getAttribute("aria-disabled") === "true") return
    button.setAttribute("aria-disabled", "true")
    void action()
      .catch(failed)
      .finally(() => button.setAttribute("aria-disabled", "false"))
  })
  return button
}

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
    const lines = entries.flatMap(([key, item], index) => [
      `\n${deeper}`,
      ...(Array.isArray(value) ? [] : [h("span", { class: "json-key" }, JSON.stringify(key)), ": "]),
      ...jsonNodes(item, deeper, key),
      index === entries.length - 1 ? "" : ",",
    ])
    return [open, ...lines, `\n${indent}${close}`]
  }
  if (typeof value !== "number")
    return [typeof value === "string" ? JSON.stringify(value) : h("span", { class: "json-number" }, String(value))]
  return [h("span", { class: "json-number" }, String(value)), times.has(name) && h("span", { class: "json-aside" }, ` ${moment(value)}`)]
}

/** A block of text as it was sent. */
export const pre = (...content) => h("pre", { tabindex: "0" }, ...content)

/** A block of JSON. */
export const jsonBlock = (value) => pre(...jsonNodes(value))
