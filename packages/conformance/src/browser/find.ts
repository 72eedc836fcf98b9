/** The members of an element that a search reads: those of a page that was parsed and of one in Chromium. */
export interface Element {
  readonly tagName: string
  readonly textContent: string | null
  readonly getAttribute: (name: string) => string | null | undefined
  readonly querySelector: (selector: string) => Element | null
  readonly querySelectorAll: (selector: string) => ArrayLike<Element>
}

/**
 * The element that a recipe means: a field or button of this name, a button or link of this text, the field of a label of this text, or the first of this
 * CSS selector, in this order. It stands alone, since Chromium gets its source.
 */
export const elementOf = (root: Element, wanted: string): Element | null => {
  const most = 500
  const all = (selector: string): Array<Element> => Array.from(root.querySelectorAll(selector)).slice(0, most)
  const isWanted = (text: string | null | undefined): boolean => (text ?? "").replaceAll(/\s+/g, " ").trim() === wanted
  const fields = Array.from(root.querySelectorAll("input, button, select, textarea"))
  const named = fields.find((each) => each.getAttribute("name") === wanted)
  if (named !== undefined) return named
  const button = all("button, a, input[type=submit], input[type=button]").find(
    (each) => isWanted(each.textContent) || (each.tagName.toLowerCase() === "input" && isWanted(each.getAttribute("value"))),
  )
  if (button !== undefined) return button
  const label = all("label").find((each) => isWanted(each.textContent))
  const labeled = label?.getAttribute("for")
  if (label !== undefined)
    return typeof labeled === "string"
      ? (fields.find((each) => each.getAttribute("id") === labeled) ?? null)
      : label.querySelector("input, select, textarea")
  try {
    return root.querySelector(wanted)
  } catch {
    return null
  }
}
