import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Page, PageContext } from "@postern/core/model"
import type { PagesPort } from "@postern/core/ports"
import { type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import { type Asset, asset, assetFile, assetFolder } from "./assets.ts"
import { type Colors, colorSheet } from "./color.ts"
import { type PageDesign, refuseDesigns } from "./design.ts"
import { PagesFault } from "./fault.ts"
import { shippedTemplates, shippedWords } from "./folders.ts"
import { languageNames, menuOf } from "./menu.ts"
import { negotiator } from "./negotiate.ts"
import { once } from "./once.ts"
import { replaying } from "./replay.ts"
import { sampleContext, samples } from "./samples.ts"
import { type Spoken, spoken } from "./spoken.ts"
import { type Templates, templatesOf } from "./templates.ts"
import type { View } from "./parts.ts"
import { templates as templateNames, viewOf } from "./view.ts"
import { type Language, loadLanguages } from "./words.ts"

/** The name, logo and colors of pages. */
export interface Looks {
  /** The provider's name, shown on every page. Default: the issuer's host. */
  readonly name?: string
  /** An https URL or a file. The name is shown if there is no logo. */
  readonly logo?: string
  /** The colors of the pages. */
  readonly colors?: Colors
}

/** An operator's page settings. */
export interface PagesOptions extends Looks {
  /**
   * An operator's folder. A template, stylesheet or image there replaces the shipped one of the same name; other images and styles there
   * are served too. `locales/TAG.json` changes sentences of a language or adds a language.
   */
  readonly templates?: string
  /** The looks of tenants, by the name in `acr_values=tenant:NAME`. Settings that a tenant omits are the common ones. */
  readonly tenants?: Readonly<Record<string, Looks>>
  /** The fallback language, if none of the requested languages is available. Default: `en`. */
  readonly locale?: string
  /** The designs of pages that features declare, made with `pageDesign`. */
  readonly pages?: ReadonlyArray<PageDesign>
  /**
   * Called when an operator's template fails on a page in a way that the startup check did not detect. The shipped template is shown
   * instead.
   */
  readonly onFault?: (fault: PagesFault) => void
}

const looksKinds: MemberKinds<Looks> = { name: "text?", logo: "text?", colors: "object?" }

const colorKinds: MemberKinds<Colors> = { accent: "text?", accentDark: "text?", background: "text?", backgroundDark: "text?" }

const kinds: MemberKinds<PagesOptions> = {
  ...looksKinds,
  templates: "text?",
  tenants: "object?",
  locale: "text?",
  pages: "objects?",
  onFault: "function?",
}

const colorFaults = (colors: Colors | undefined, within: string): ReadonlyArray<string> =>
  colors === undefined ? [] : memberFaults(colors, colorKinds, within)

/** Returns the faults of the settings, as text: members that there are none of, and those of the wrong kind. */
const faultsOf = (options: PagesOptions): ReadonlyArray<string> => {
  const unfit = memberFaults(options, kinds)
  if (unfit.length > 0) return unfit
  const tenants = Object.entries(options.tenants ?? {}).flatMap(([tenant, looks]) => {
    const faults = memberFaults(looks, looksKinds, `tenants.${tenant}.`)
    return faults.length > 0 ? faults : colorFaults(looks.colors, `tenants.${tenant}.colors.`)
  })
  return [...colorFaults(options.colors, "colors."), ...tenants]
}

/** The pages and the files they load. */
export interface LiquidPages extends PagesPort {
  /** The files that the pages load. */
  readonly assets: ReadonlyArray<Asset>
  /** The tags of the available languages. */
  readonly languages: ReadonlyArray<string>
  /**
   * Renders the sign-in pages in advance, in small steps shortly after the start, so that neither the first user nor concurrent token
   * requests wait for it.
   */
  readonly warm: () => void
  /** Renders a page synchronously. */
  readonly render: (page: Page, context: PageContext) => string
}

/** The milliseconds from the start to the first warm-up rendering, and between renderings. */
const warmUp = { start: 400, pause: 10 }

/**
 * Creates pages from Liquid templates. All output is escaped unless a template opts out. An operator's templates are parsed and tried once,
 * here; the shipped ones are parsed on first use. Throws a `PagesFault` with the file and line of an error in an operator's folder.
 */
export const liquidPages = (options: PagesOptions = {}): LiquidPages => {
  refuseFaults("liquidPages", faultsOf(options))
  return pagesBy(replaying, options)
}

/** Creates pages with a given rendering strategy: that of `replaying`, or the template engine alone. */
export const pagesBy = (remembering: typeof replaying, options: PagesOptions): LiquidPages => {
  const { templates: theirs, locale = "en", pages: designs = [] } = options
  refuseDesigns(designs)
  if (theirs !== undefined && !existsSync(theirs)) throw new PagesFault(`${theirs}: there is no such folder`)
  const sentences = designs.flatMap(({ words }) => Object.entries(words))
  const languages = loadLanguages(shippedWords, theirs === undefined ? undefined : existing(join(theirs, "locales")), sentences)
  const otherwise = languages.get(locale)
  if (otherwise === undefined) throw new PagesFault(`locale: there is no "${locale}"; there are ${[...languages.keys()].join(", ")}`)
  const negotiate = negotiator([...languages.keys()], locale)
  const names = once(() => languageNames([...languages.keys()]))
  const drawn = new Map(designs.map((design) => [design.name, spoken(design, languages, locale)]))

  const files = assetsOf(theirs, options.colors ?? {})
  const usual: Site = { name: options.name, logo: logoOf(options.logo), styles: undefined }
  const tenants = new Map(Object.entries(options.tenants ?? {}).map(([tenant, looks]) => [tenant, siteOf(tenant, looks, usual)]))
  const loaded = [usual, ...tenants.values()].flatMap(({ logo, styles }) => [logo.file ?? [], styles ?? []].flat())
  const assets = [...new Map([...files.values(), ...loaded].map((each) => [each.name, each])).values()]
  const site = ({ tenant }: PageContext): Site => (tenant === undefined ? undefined : tenants.get(tenant)) ?? usual
  const path = (asked: string): string | undefined => {
    const found = files.get(asked)
    return found === undefined ? undefined : encodeURIComponent(found.name)
  }
  const texts = new Map(designs.map(({ name, template }) => [name, template]))
  const shipped = templatesOf([shippedTemplates], path, remembering(), texts)
  const chosen = theirs === undefined ? shipped : templatesOf([theirs, shippedTemplates], path, remembering(), texts)

  const spokenOf = (page: Page): Spoken | undefined => (page._tag === "Feature" ? drawn.get(page.name) : undefined)
  const ownView = (page: Page, context: PageContext, language: Language, name: string): View => {
    if (page._tag !== "Feature") return viewOf(page, context, language, name)
    const design = drawn.get(page.name)?.design
    if (design === undefined) throw new PagesFault(`pages: there is no design of the page ${page.name}`)
    return design.view(page, language, context.basePath)
  }
  const address = (basePath: string, { name }: Asset): string => `${basePath}/assets/${encodeURIComponent(name)}`
  const common = (
    page: Page,
    { requestId, nonce, issuer, basePath, languageAddress }: PageContext,
    { name, logo, styles }: Site,
    { tag, dir, formats }: Language,
  ): View => ({
    page: templateOf(page),
    lang: tag,
    dir,
    formats,
    language_name: names().get(tag) ?? tag,
    languages: menuOf(spokenOf(page)?.names ?? names(), tag, languageAddress),
    site: {
      name: name ?? hostOf(issuer),
      logo: logo.file === undefined ? logo.address : address(basePath, logo.file),
      styles: styles === undefined ? null : address(basePath, styles),
    },
    request_id: requestId,
    nonce,
    issuer,
    base_path: basePath,
  })
  const show = (from: Templates, page: Page, context: PageContext, language: Language): string => {
    const whose = site(context)
    return from.render(
      templateOf(page),
      { ...common(page, context, whose, language), ...ownView(page, context, language, whose.name ?? hostOf(context.issuer)) },
      language,
    )
  }

  if (theirs !== undefined) {
    chosen.parseAll()
    for (const { page } of samples) show(chosen, page, sampleContext, otherwise)
  }
  for (const { design, tags } of drawn.values())
    for (const tag of tags) for (const page of design.samples) show(chosen, page, sampleContext, languages.get(tag) ?? otherwise)

  const first = samples.filter(({ page }, at) => samples.findIndex((each) => each.page._tag === page._tag) === at)
  const signIn = first.filter(({ page: { _tag } }) => _tag === "Login" || _tag === "Consent")
  // A page's script is recorded on its second rendering.
  const rehearsals = [...signIn, ...signIn].map(
    ({ page }) =>
      (): unknown =>
        show(chosen, page, sampleContext, otherwise),
  )
  const rehearse = (): void => {
    try {
      rehearsals.shift()?.()
    } catch {
      // The error is reported when the page is requested.
    }
    if (rehearsals.length > 0) setTimeout(rehearse, warmUp.pause).unref()
  }

  return {
    assets,
    languages: [...languages.keys()],
    draws: (name) => drawn.has(name),
    warm: () => void setTimeout(rehearse, warmUp.start).unref(),
    render: (page, context) => {
      const { tag, formats } = (spokenOf(page)?.negotiate ?? negotiate)(context.locales)
      const language = (languages.get(tag) ?? otherwise).in(formats)
      if (chosen === shipped) return show(shipped, page, context, language)
      try {
        return show(chosen, page, context, language)
      } catch (fault) {
        // An error in a page's design must not block the user.
        options.onFault?.(fault instanceof PagesFault ? fault : new PagesFault(String(fault)))
        return show(shipped, page, context, language)
      }
    },
  }
}

const templateOf = (page: Page): string => (page._tag === "Feature" ? page.name : templateNames[page._tag])

const hostOf = (issuer: string): string => new URL(issuer).host

const existing = (folder: string): string | undefined => (existsSync(folder) ? folder : undefined)

interface Logo {
  readonly address: string | null
  readonly file: Asset | undefined
}

/** The prepared name, logo and styles of pages. */
interface Site {
  /** Default: the issuer's host. */
  readonly name: string | undefined
  readonly logo: Logo
  /** A stylesheet in addition to the common one. */
  readonly styles: Asset | undefined
}

/** Resolves a tenant's looks, with the common ones as defaults. */
const siteOf = (tenant: string, { name, logo, colors }: Looks, usual: Site): Site => {
  try {
    const sheet = colorSheet(colors ?? {})
    return {
      name: name ?? usual.name,
      // The common logo would contradict a tenant's own name.
      logo: logo === undefined && name === undefined ? usual.logo : logoOf(logo),
      styles: sheet === "" ? undefined : asset("tenant.css", `${sheet}\n`),
    }
  } catch (fault) {
    throw fault instanceof PagesFault ? new PagesFault(`tenants.${tenant}.${fault.message}`, { cause: fault }) : fault
  }
}

const logoOf = (logo: string | undefined): Logo => {
  if (logo === undefined) return { address: null, file: undefined }
  if (/^http:\/\//i.test(logo)) throw new PagesFault(`logo: "${logo}" is not an https address; browsers would not show it`)
  return /^(?:https:\/\/|data:image\/)/i.test(logo) ? { address: logo, file: undefined } : { address: null, file: assetFile(logo) }
}

/** Combines the shipped files with the operator's, which take precedence, and appends the operator's colors to the stylesheet. */
const assetsOf = (theirs: string | undefined, colors: Colors): ReadonlyMap<string, Asset> => {
  const files = new Map([...assetFolder(shippedTemplates), ...(theirs === undefined ? [] : assetFolder(theirs))])
  const sheet = colorSheet(colors)
  const styles = files.get("postern.css")
  if (sheet !== "" && styles !== undefined)
    files.set("postern.css", asset("postern.css", `${Buffer.from(styles.body).toString("utf8")}\n${sheet}\n`))
  return files
}
