import { type HTMLElement, parse } from "node-html-parser"
import { type Pairs, encoded } from "../exchange/exchange.ts"
import { type Element, elementOf } from "./find.ts"

/** A form to submit: its address, method, and fields. */
export interface Submission {
  readonly method: "GET" | "POST"
  readonly url: string
  readonly pairs: Pairs
}

/** An HTML page. */
export interface Page {
  /** Reports whether the page has an element that a recipe names. */
  readonly has: (wanted: string) => boolean
  /** True if the page has scripts. */
  readonly scripted: boolean
  /**
   * Clicks an element, and returns the form that is submitted or the link that is followed. `filled` has the values by field; every check
   * box that the selector `tick` finds is ticked.
   */
  readonly click: (wanted: string, filled?: Readonly<Record<string, string>>, tick?: string) => Submission | undefined
  /** The form that submits itself to a client, as pages of `form_post` do. */
  readonly sending: (isClient: (url: string) => boolean) => Submission | undefined
}

const optionOf = (select: HTMLElement): string => {
  const options = select.querySelectorAll("option")
  const chosen = options.find((each) => each.hasAttribute("selected")) ?? options[0]
  return chosen?.getAttribute("value") ?? chosen?.text ?? ""
}

/** The name and value that a field submits; undefined if it submits none (HTML §4.10.21.4). */
const entryOf = (field: HTMLElement, clicked: HTMLElement, filled: ReadonlyMap<HTMLElement, string>, ticked: ReadonlySet<HTMLElement>) => {
  const name = field.getAttribute("name")
  if (name === undefined || name === "" || field.hasAttribute("disabled")) return undefined
  const tag = field.tagName.toLowerCase()
  const type = (field.getAttribute("type") ?? (tag === "button" ? "submit" : "text")).toLowerCase()
  if (["submit", "image", "button", "reset"].includes(type))
    return field === clicked ? ([name, field.getAttribute("value") ?? ""] as const) : undefined
  if (["checkbox", "radio"].includes(type))
    return field.hasAttribute("checked") || ticked.has(field) ? ([name, field.getAttribute("value") ?? "on"] as const) : undefined
  const value = tag === "select" ? optionOf(field) : tag === "textarea" ? field.text : (field.getAttribute("value") ?? "")
  return [name, filled.get(field) ?? value] as const
}

/** The maximum elements of a page, more than any sign-in page has. A longer page is not read. */
const mostElements = 20_000

/** Parses a page that came from an address. A page with too many elements counts as empty. Takes time linear in the page's length. */
export const pageOf = (html: string, address: string): Page => {
  // `noscript` content applies, because no script runs.
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
  const matching = (selector: string): ReadonlySet<HTMLElement> => {
    try {
      return new Set(root.querySelectorAll(selector))
    } catch {
      return new Set()
    }
  }
  const submission = (
    clicked: HTMLElement,
    within: HTMLElement,
    filled: ReadonlyMap<HTMLElement, string> = new Map(),
    ticked: ReadonlySet<HTMLElement> = new Set(),
  ): Submission => ({
    method: (clicked.getAttribute("formmethod") ?? within.getAttribute("method") ?? "get").toLowerCase() === "post" ? "POST" : "GET",
    url: resolved(clicked.getAttribute("formaction") ?? within.getAttribute("action") ?? address, address),
    pairs: (fields.get(within) ?? []).flatMap((each) => [entryOf(each, clicked, filled, ticked)].filter((entry) => entry !== undefined)),
  })
  return {
    has: (wanted) => find(wanted) !== null,
    scripted: root.querySelector("script") !== null,
    click: (wanted, filled = {}, tick?: string) => {
      const clicked = find(wanted)
      if (clicked === null) return undefined
      const link = clicked.getAttribute("href")
      if (link !== undefined) return { method: "GET", url: resolved(link, address), pairs: [] }
      const within = ownerOf(clicked)
      const values = Object.entries(filled).flatMap(([field, value]) => {
        const found = find(field)
        return found === null ? [] : [[found, value] as const]
      })
      return within === undefined
        ? undefined
        : submission(clicked, within, new Map(values), tick === undefined ? undefined : matching(tick))
    },
    sending: (isClient) => {
      const found = forms.find((each) => {
        const action = each.getAttribute("action")
        return action !== undefined && isClient(resolved(action, address))
      })
      return found === undefined ? undefined : submission(found, found)
    },
  }
}

/** Resolves a reference in a page; without one, the page's own address. */
const resolved = (reference: string, address: string): string =>
  URL.canParse(reference, address) ? new URL(reference, address).href : address

/** The request that submits a form. */
export const sentBy = ({ method, url, pairs }: Submission) => {
  if (method === "POST") return { method, url, headers: { "content-type": "application/x-www-form-urlencoded" }, body: encoded(pairs) }
  const to = new URL(url)
  if (pairs.length > 0) to.search = encoded(pairs)
  return { method, url: to.href, headers: {} }
}
