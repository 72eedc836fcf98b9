/** The members of an element that the search uses. Both parsed pages and pages in Chromium have them. */
export interface Element {
  readonly tagName: string
  readonly textContent: string | null
  readonly getAttribute: (name: string) => string | null | undefined
  readonly querySelector: (selector: string) => Element | null
  readonly querySelectorAll: (selector: string) => ArrayLike<Element>
}

/**
 * Finds the element that a recipe names. It tries, in this order: the name of a field or button, the text of a button or link, the text of
 * a field's label, and a CSS selector. The function uses nothing outside itself, because its source runs in Chromium.
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
