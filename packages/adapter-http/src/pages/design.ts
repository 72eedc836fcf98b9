import type { ClientFace, ConsentDetail, ConsentScope, FeaturePage, Form, PageKind, PersonFace } from "@postern/core/model"
import { memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import { PagesFault } from "./fault.ts"
import { client, details, form, person, scope, type View, type ViewValue } from "./parts.ts"
import { templates } from "./view.ts"
import type { Language, Words } from "./words.ts"

/** Helpers that turn a model into the variables of a template. */
export interface ViewMeans {
  /**
   * The language of the page. `say(key, values)` formats a sentence of the design; `date`, `list` and others use the language's formats.
   */
  readonly language: Language
  /** Converts a form; `{% render "fields", form: form %}` writes its hidden fields. */
  readonly form: (form: Form) => View
  /** Converts a client; only web addresses become links. */
  readonly client: (client: ClientFace) => View
  /** Converts a person. */
  readonly person: (person: PersonFace) => View
  /** Converts a scope, with the consent page's wording. */
  readonly scope: (scope: ConsentScope) => View
  /** Converts authorization details, each for `{% render "detail", detail: detail %}`; `null` if there are none. */
  readonly details: (details: ReadonlyArray<ConsentDetail> | undefined) => ViewValue
}

/** The design of a page that a feature declares. */
export interface Design<Model extends object> {
  /**
   * A Liquid template, escaped like the shipped ones; `{% layout "layout" %}` puts it into the common frame. An operator's file NAME.liquid
   * overrides it.
   */
  readonly template: string
  /**
   * The page's sentences in each of its languages. Their keys begin with the page's name and a dot. An operator's `locales` may change them
   * and add languages.
   */
  readonly words: Readonly<Record<string, Words>>
  /** Returns the variables of the template. Default: the model itself. */
  readonly view?: (model: Model, means: ViewMeans) => View
  /** Models that together cover everything the page can show. The template is tried on them at startup, in each language. */
  readonly samples: ReadonlyArray<Model>
}

/** The design of a page, for `liquidPages`. */
export interface PageDesign {
  /** The name of the page. */
  readonly name: string
  /** Its template. */
  readonly template: string
  /** Its sentences by language. */
  readonly words: Readonly<Record<string, Words>>
  /** Its samples. */
  readonly samples: ReadonlyArray<FeaturePage>
  /** Returns the variables of its template. */
  readonly view: (page: FeaturePage, language: Language, basePath: string) => View
}

/**
 * Designs a page of a feature, for `liquidPages({ pages })`.
 *
 * ```ts
 * liquidPages({ pages: [pageDesign(approval, { template, words: { en, de }, view, samples: [{ form, amount: "12.50 EUR" }] })] })
 * ```
 */
export const pageDesign = <Model extends object>(kind: PageKind<Model>, design: Design<Model>): PageDesign => {
  refuseFaults(
    "pageDesign",
    partFaults("kind", kind, { name: "text", page: "function", modelOf: "function" }, "PageKind"),
    memberFaults(design, { template: "text", words: "object", view: "function?", samples: "objects" }, "design."),
  )
  const { template, words, view, samples } = design
  return {
    name: kind.name,
    template,
    words,
    samples: samples.map((each) => kind.page(each)),
    view: (page, language, basePath) => {
      const model = kind.modelOf(page)
      if (model === undefined) throw new PagesFault(`the page ${page.name} was not made by the kind of its design`)
      // Without `view`, the model itself serves as the view. Liquid reads only own properties and escapes all text.
      return view === undefined
        ? { ...(model as View) }
        : view(model, {
            language,
            form: (each) => form(each, basePath),
            client: (face) => client(face, language),
            person,
            scope: (each) => scope(each, language),
            details: (each) => details(each, language),
          })
    },
  }
}

const shipped: ReadonlySet<string> = new Set(Object.values(templates))

/** Throws for designs that take another page's name or sentences. */
export const refuseDesigns = (designs: ReadonlyArray<PageDesign>): void => {
  for (const { name, words, samples } of designs) {
    if (samples.length === 0) throw new PagesFault(`pages: the page ${name} has no sample to try its template on`)
    if (shipped.has(name) || designs.filter((each) => each.name === name).length > 1)
      throw new PagesFault(`pages: there is a page named ${name} already`)
    const sets = Object.entries(words)
    const keys = new Set(sets.flatMap(([, own]) => Object.keys(own)))
    const foreign = [...keys].find((key) => !key.startsWith(`${name}.`))
    if (foreign !== undefined) throw new PagesFault(`pages: the sentence "${foreign}" of the page ${name} does not begin with "${name}."`)
    for (const [tag, own] of sets)
      for (const key of keys)
        if (own[key] === undefined) throw new PagesFault(`pages: the page ${name} has no sentence "${key}" in "${tag}"`)
    if (sets.length === 0) throw new PagesFault(`pages: the page ${name} has no language; give it "words": { "en": {} } at least`)
  }
}
