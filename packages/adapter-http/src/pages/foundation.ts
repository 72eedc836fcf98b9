import { readFileSync } from "node:fs"
import { join } from "node:path"
import { shippedTemplates } from "./folders.ts"

/** Ends the foundation in `postern.css`. */
const end = "\n/* Pages. "

/**
 * Returns the foundation of the shipped stylesheet, for a page beside the provider's own: palette, fonts, links and buttons. It is the part
 * of `postern.css` above the comment "Pages".
 */
export const foundationStyles = (): string => {
  const [foundation, pages] = readFileSync(join(shippedTemplates, "postern.css"), "utf8").split(end)
  if (foundation === undefined || pages === undefined) throw new Error("postern.css has no foundation")
  return foundation
}
