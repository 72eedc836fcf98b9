import { fileURLToPath } from "node:url"
import type { Page, PageContext, PagesPort } from "@postern/core"
import { Liquid } from "liquidjs"

const engine = new Liquid({
  root: fileURLToPath(new URL("templates", import.meta.url)),
  extname: ".liquid",
  cache: true,
  // Everything is escaped, and a name that there is none of is a fault, but where a template asks for it by `if`.
  outputEscape: "escape",
  strictVariables: true,
  lenientIf: true,
  strictFilters: true,
  ownPropertyOnly: true,
})

/** Draws `templates/login.liquid` and so on: `page` is the model, `context` what every page has. */
const render = (page: Page, context: PageContext): Promise<string> => engine.renderFile(page._tag.toLowerCase(), { page, context })

/** Pages by Liquid templates, which are read when they are first shown. */
export const pages: PagesPort = { render, draws: () => false }
