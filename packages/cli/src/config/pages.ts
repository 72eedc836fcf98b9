import type { Looks, PagesOptions } from "@postern/adapter-http/pages"
import { type Finding, finding, type Path } from "./fault.ts"
import type { ConfigFile } from "./schema.ts"

/** What is wrong with the pages that options describe, in the operator's words; undefined when they can be made. */
export type PagesTrial = (options: PagesOptions) => string | undefined

/** Tries the pages by making them. */
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

const looksOf = ({ name, logo, colours }: Pick<Pages, "name" | "logo" | "colours">, absolute: (path: string) => string): Looks => ({
  ...(name === undefined ? {} : { name }),
  ...(logo === undefined ? {} : { logo: /^[a-z][a-z0-9+.-]+:/i.test(logo) ? logo : absolute(logo) }),
  colours: {
    ...(colours?.accent === undefined ? {} : { accent: colours.accent }),
    ...(colours?.accent_dark === undefined ? {} : { accentDark: colours.accent_dark }),
    ...(colours?.background === undefined ? {} : { background: colours.background }),
    ...(colours?.background_dark === undefined ? {} : { backgroundDark: colours.background_dark }),
  },
})

/** The pages a configuration describes; relative paths start from its folder. */
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
  "colours.accent": [["pages", "colours", "accent"], "choose another color"],
  "colours.accentDark": [["pages", "colours", "accent_dark"], "choose another color"],
  "colours.background": [["pages", "colours", "background"], "choose another color"],
  "colours.backgroundDark": [["pages", "colours", "background_dark"], "choose another color"],
}

/** A fault of the pages as a finding at the key it comes from. */
export const pagesFinding = (fault: string, pages: Pages): Finding => {
  const tenant = Object.keys(pages.tenants ?? {}).find((name) => fault.startsWith(`tenants.${name}.`))
  if (tenant !== undefined) {
    const { path, ...found } = pagesFinding(fault.slice(`tenants.${tenant}.`.length), { logo: pages.tenants?.[tenant]?.logo ?? "" })
    return { ...found, path: ["pages", "tenants", tenant, ...path.slice(1)] }
  }
  const [, key = "", rest = ""] = /^([a-z.A-Z]+): (.*)$/s.exec(fault) ?? []
  const known = keys[key]
  if (known !== undefined) return finding(known[0], rest, known[1])
  return finding(
    pages.templates === undefined ? ["pages", "logo"] : ["pages", "templates"],
    fault,
    "mend the file; relative paths start from the configuration's folder",
  )
}
