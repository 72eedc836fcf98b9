import { type HTMLElement, parse } from "node-html-parser"
import { type Pairs, encoded } from "../exchange/exchange.ts"

/** A form to send: where to, how, and with which fields. */
export interface Submission {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly pairs: Pairs
}

/** A page of HTML. */
export interface Page {
  /** Reports whether the page has an element of this selector. */
  readonly has: (selector: string) => boolean
  /** Clicks on the first element of this selector: answers the form that is sent, or the link that is followed. `filled` are values by selector. */
  readonly click: (selector: string, filled?: Readonly<Record<string, string>>) => Submission | undefined
  /** The forms of the page as they are without a click, as pages of `form_post` send them. */
  readonly forms: ReadonlyArray<Submission>
  /** The text that people read. */
  readonly text: string
}

const optionOf = (select: HTMLElement): string => {
  const options = select.querySelectorAll("option")
  const chosen = options.find((each) => each.hasAttribute("selected")) ?? options[0]
  return chosen?.getAttribute("value") ?? chosen?.text ?? ""
}

/** The name and value of a field that a form sends; undefined where it sends none (HTML §4.10.21.4). */
const entryOf = (field: HTMLElement, clicked: HTMLElement, filled: ReadonlyMap<HTMLElement, string>) => {
  const name = field.getAttribute("name")
  if (name === undefined || name === "" || field.hasAttribute("disabled")) return undefined
  const tag = field.tagName.toLowerCase()
  const type = (field.getAttribute("type") ?? (tag === "button" ? "submit" : "text")).toLowerCase()
  if (["submit", "image", "button", "reset"].includes(type))
    return field === clicked ? ([name, field.getAttribute("value") ?? ""] as const) : undefined
  if (["checkbox", "radio"].includes(type))
    return field.hasAttribute("checked") ? ([name, field.getAttribute("value") ?? "on"] as const) : undefined
  const value = tag === "select" ? optionOf(field) : tag === "textarea" ? field.text : (field.getAttribute("value") ?? "")
  return [name, filled.get(field) ?? value] as const
}

/** Reads a page that came from an address. */
export const pageOf = (html: string, address: string): Page => {
  // Content for browsers without JavaScript is for this one.
  const root = parse(html, { blockTextElements: { script: true, style: true } })
  const form = (element: HTMLElement): HTMLElement | undefined => {
    const named = element.getAttribute("form")
    return named === undefined ? (element.closest("form") ?? undefined) : (root.getElementById(named) ?? undefined)
  }
  const submission = (clicked: HTMLElement, within: HTMLElement, filled: ReadonlyMap<HTMLElement, string>): Submission => ({
    method: (clicked.getAttribute("formmethod") ?? within.getAttribute("method") ?? "get").toLowerCase() === "post" ? "POST" : "GET",
    url: new URL(clicked.getAttribute("formaction") ?? within.getAttribute("action") ?? address, address).href,
    pairs: root
      .querySelectorAll("input, button, select, textarea")
      .filter((each) => form(each) === within)
      .flatMap((each) => [entryOf(each, clicked, filled)].filter((entry) => entry !== undefined)),
  })
  return {
    has: (selector) => root.querySelector(selector) !== null,
    click: (selector, filled = {}) => {
      const clicked = root.querySelector(selector)
      if (clicked === null) return undefined
      const link = clicked.getAttribute("href")
      if (link !== undefined) return { method: "GET", url: new URL(link, address).href, pairs: [] }
      const within = form(clicked)
      const values = Object.entries(filled).flatMap(([field, value]) => {
        const found = root.querySelector(field)
        return found === null ? [] : [[found, value] as const]
      })
      return within === undefined ? undefined : submission(clicked, within, new Map(values))
    },
    forms: root.querySelectorAll("form").map((each) => submission(each, each, new Map())),
    text: root.structuredText,
  }
}

/** The request that sends a form. */
export const sentBy = ({ method, url, pairs }: Submission) => {
  if (method === "POST") return { method, url, headers: { "content-type": "application/x-www-form-urlencoded" }, body: encoded(pairs) }
  const to = new URL(url)
  if (pairs.length > 0) to.search = encoded(pairs)
  return { method, url: to.href, headers: {} }
}
