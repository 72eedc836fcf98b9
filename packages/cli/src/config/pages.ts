import type { Looks, PagesOptions } from "@postern/adapter-http/pages"
import { type Finding, finding, type Path } from "./fault.ts"
import type { ConfigFile } from "./schema.ts"

/** Creates the pages of some options and returns their fault in the operator's terms, or undefined if there is none. */
export type PagesTrial = (options: PagesOptions) => string | undefined

/** Loads the pages module and returns its trial function. */
export const pagesTrial = async (): Promise<PagesTrial> => {
  const { liquidPages, PagesFault } = await import("@postern/adapter-http/pages")
  return (options) => {
    try {
      liquidPages(options)
      return undefined
    } catch (fault) {
      if (fault instanceof PagesFault) return fault.message
      throw fault
    }
  }
}

type Pages = NonNullable<ConfigFile["pages"]>

const looksOf = ({ name, logo, colors }: Pick<Pages, "name" | "logo" | "colors">, absolute: (path: string) => string): Looks => ({
  ...(name === undefined ? {} : { name }),
  ...(logo === undefined ? {} : { logo: /^[a-z][a-z0-9+.-]+:/i.test(logo) ? logo : absolute(logo) }),
  colors: {
    ...(colors?.accent === undefined ? {} : { accent: colors.accent }),
    ...(colors?.accent_dark === undefined ? {} : { accentDark: colors.accent_dark }),
    ...(colors?.background === undefined ? {} : { background: colors.background }),
    ...(colors?.background_dark === undefined ? {} : { backgroundDark: colors.background_dark }),
  },
})

/** Returns the page options of a configuration. Relative paths are resolved against its folder. */
export const pagesOptions = (
  { templates, default_locale, tenants = {}, ...looks }: Pages,
  absolute: (path: string) => string,
): PagesOptions => ({
  ...looksOf(looks, absolute),
  ...(templates === undefined ? {} : { templates: absolute(templates) }),
  ...(default_locale === undefined ? {} : { locale: default_locale }),
  tenants: Object.fromEntries(Object.entries(tenants).map(([tenant, theirs]) => [tenant, looksOf(theirs, absolute)])),
})

const keys: Readonly<Record<string, readonly [path: Path, hint: string]>> = {
  logo: [["pages", "logo"], "name an image file, or an https address"],
  locale: [["pages", "default_locale"], "use one of those"],
  "colors.accent": [["pages", "colors", "accent"], "choose another color"],
  "colors.accentDark": [["pages", "colors", "accent_dark"], "choose another color"],
  "colors.background": [["pages", "colors", "background"], "choose another color"],
  "colors.backgroundDark": [["pages", "colors", "background_dark"], "choose another color"],
}

/** Converts a fault of the pages to a finding for the key that causes it. */
export const pagesFinding = (fault: string, pages: Pages): Finding => {
  const tenant = Object.keys(pages.tenants ?? {}).find((name) => fault.startsWith(`tenants.${name}.`))
  if (tenant !== undefined) {
    const { path, ...found } = pagesFinding(fault.slice(`tenants.${tenant}.`.length), { logo: pages.tenants?.[tenant]?.logo ?? "" })
    return { ...found, path: ["pages", "tenants", tenant, ...path.slice(1)] }
  }
  if (fault.startsWith("pages: "))
    return finding(["grants", "modules"], fault.slice("pages: ".length), "see docs/embedding.md, pages of a feature")
  const [, key = "", rest = ""] = /^([a-z.A-Z]+): (.*)$/s.exec(fault) ?? []
  const known = keys[key]
  if (known !== undefined) return finding(known[0], rest, known[1])
  return finding(
    pages.templates === undefined ? ["pages", "logo"] : ["pages", "templates"],
    fault,
    "fix the file; relative paths start from the configuration's folder",
  )
}
