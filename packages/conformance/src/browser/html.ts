import { type HTMLElement, parse } from "node-html-parser"
import { type Pairs, encoded } from "../exchange/exchange.ts"
import { type Element, elementOf } from "./find.ts"

/** A form to send: where to, how, and with which fields. */
export interface Submission {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly pairs: Pairs
}

/** A page of HTML. */
export interface Page {
  /** Reports whether the page has an element, as recipes name it. */
  readonly has: (wanted: string) => boolean
  /** True where the page has scripts. */
  readonly scripted: boolean
  /** Clicks on an element: answers the form that is sent, or the link that is followed. `filled` are values by field. */
  readonly click: (wanted: string, filled?: Readonly<Record<string, string>>) => Submission | undefined
  /** The form without a click that is sent to a client, as pages of `form_post` send theirs. */
  readonly sending: (isClient: (url: string) => boolean) => Submission | undefined
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

/** More elements than any page of a sign-in has: beyond, a page is not read. */
const mostElements = 20_000

/** Reads a page that came from an address; one of more elements than any sign-in has is empty. Linear in its length. */
export const pageOf = (html: string, address: string): Page => {
  // Content for browsers without JavaScript is for this one.
  const root = parse(html.split("<", mostElements + 1).length > mostElements ? "" : html, {
    blockTextElements: { script: true, style: true },
  })
  const find = (wanted: string): HTMLElement | null => elementOf(root as unknown as Element, wanted) as HTMLElement | null
  const forms = root.querySelectorAll("form")
  const named = new Map(forms.map((each) => [each.getAttribute("id"), each] as const).toReversed())
  const ownerOf = (element: HTMLElement): HTMLElement | undefined => {
    const name = element.getAttribute("form")
    return name === undefined ? (element.closest("form") ?? undefined) : named.get(name)
  }
  const fields = Map.groupBy(root.querySelectorAll("input, button, select, textarea"), ownerOf)
  const submission = (clicked: HTMLElement, within: HTMLElement, filled: ReadonlyMap<HTMLElement, string>): Submission => ({
    method: (clicked.getAttribute("formmethod") ?? within.getAttribute("method") ?? "get").toLowerCase() === "post" ? "POST" : "GET",
    url: resolved(clicked.getAttribute("formaction") ?? within.getAttribute("action") ?? address, address),
    pairs: (fields.get(within) ?? []).flatMap((each) => [entryOf(each, clicked, filled)].filter((entry) => entry !== undefined)),
  })
  return {
    has: (wanted) => find(wanted) !== null,
    scripted: root.querySelector("script") !== null,
    click: (wanted, filled = {}) => {
      const clicked = find(wanted)
      if (clicked === null) return undefined
      const link = clicked.getAttribute("href")
      if (link !== undefined) return { method: "GET", url: resolved(link, address), pairs: [] }
      const within = ownerOf(clicked)
      const values = Object.entries(filled).flatMap(([field, value]) => {
        const found = find(field)
        return found === null ? [] : [[found, value] as const]
      })
      return within === undefined ? undefined : submission(clicked, within, new Map(values))
    },
    sending: (isClient) => {
      const found = forms.find((each) => {
        const action = each.getAttribute("action")
        return action !== undefined && isClient(resolved(action, address))
      })
      return found === undefined ? undefined : submission(found, found, new Map())
    },
  }
}

/** An address as a page means it; the page's own where it means none. */
const resolved = (reference: string, address: string): string =>
  URL.canParse(reference, address) ? new URL(reference, address).href : address

/** The request that sends a form. */
export const sentBy = ({ method, url, pairs }: Submission) => {
  if (method === "POST") return { method, url, headers: { "content-type": "application/x-www-form-urlencoded" }, body: encoded(pairs) }
  const to = new URL(url)
  if (pairs.length > 0) to.search = encoded(pairs)
  return { method, url: to.href, headers: {} }
}
