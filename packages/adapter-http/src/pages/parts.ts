import {
  type ClientFace,
  type ConsentDetail,
  type ConsentScope,
  type DetailSaid,
  type Form,
  offlineAccess,
  type PersonFace,
  type ShownValue,
  standardScopes,
} from "@postern/core/model"
import { once } from "./once.ts"
import type { Language } from "./words.ts"

/** The variables of a template: plain values, or `null` for an absent one. `pages/README.md` documents the names. */
export type View = { readonly [name: string]: ViewValue }
/** The value of a variable. */
export type ViewValue = string | number | boolean | null | ReadonlyArray<ViewValue> | View

/** Returns the first letter of a name, as a grapheme. */
const initial = (name: string): string => {
  const start = name.trim().slice(0, 20)
  // Grapheme segmentation is slow, and most names begin with an ASCII letter.
  const first = /^[A-Za-z0-9][ -~]/.test(start) ? start.slice(0, 1) : ([...graphemes().segment(start)][0]?.segment ?? "")
  return first.toUpperCase()
}

// The segmentation rules take as long to load as a whole package.
const graphemes = once(() => new Intl.Segmenter())

/** Returns web addresses only. A `javascript:` or `data:` URL is dropped, whoever registered it. */
const link = (uri: string | undefined): string | null => (uri !== undefined && /^https?:\/\//i.test(uri) ? uri : null)

/** Returns image sources that the pages' Content-Security-Policy allows. */
const image = (uri: string | undefined): string | null => (uri !== undefined && /^(?:https:\/\/|data:image\/)/i.test(uri) ? uri : null)

/** Returns the primary language of a tag (RFC 5646 §2.2.1). */
const primary = (tag: string): string => tag.toLowerCase().split("-", 1)[0] ?? ""

/**
 * Localizes a client: its values for exactly this language tag are used, or else those for a related tag (RFC 7591 §2.2, RFC 4647 §3.4).
 */
export const inLanguage = ({ inLanguages = {}, ...face }: ClientFace, { tag }: Pick<Language, "tag">): ClientFace => {
  const all = Object.entries(inLanguages)
  const [, own] =
    all.find(([each]) => each.toLowerCase() === tag.toLowerCase()) ??
    all.find(([each]) => each.toLowerCase() === primary(tag)) ??
    all.find(([each]) => primary(each) === primary(tag)) ??
    []
  return { ...face, ...own }
}

/** Returns a client's template variables. */
export const client = (face: ClientFace, language: Pick<Language, "tag">): View => {
  const {
    clientId,
    name,
    uri,
    logoUri,
    policyUri,
    tosUri,
    unverified = false,
    host,
    callsItself,
    isOnDevice = false,
    isUnderDevelopment = false,
  } = inLanguage(face, language)
  return {
    id: clientId,
    name,
    initial: initial(name),
    uri: link(uri),
    logo: image(logoUri),
    policy: link(policyUri),
    tos: link(tosUri),
    unverified,
    host: host ?? null,
    calls_itself: callsItself ?? null,
    on_device: isOnDevice,
    under_development: isUnderDevelopment,
  }
}

/** Returns a person's template variables. */
export const person = ({ name, username }: PersonFace): View => ({ name, username, initial: initial(name) })

/** Returns the template variables of hidden fields. */
export const hidden = (pairs: Form["hidden"]): ReadonlyArray<View> => pairs.map(([name, value]) => ({ name, value }))

/** Returns a form's template variables. */
export const form = ({ action, hidden: pairs }: Form, basePath: string): View => ({ action: basePath + action, hidden: hidden(pairs) })

/** The scopes that the pages have words for. */
const worded: ReadonlySet<string> = new Set([...standardScopes.map(({ name }) => name), offlineAccess])

/** Returns the title of a scope or claim. */
export const scopeTitle = ({ name, kind, title }: ConsentScope, language: Language): string =>
  kind === "claim"
    ? language.say("scope.claim.title", { claim: title ?? name })
    : (title ?? (worded.has(name) ? language.say(`scope.${name}.title`) : name))

/** Returns a scope's template variables. */
export const scope = (each: ConsentScope, language: Language): View => ({
  name: each.name,
  title: scopeTitle(each, language),
  description:
    each.description ?? (each.title === undefined && worded.has(each.name) ? language.say(`scope.${each.name}.description`) : null),
  resources: each.resources.length === 0 ? null : language.list(each.resources),
  required: each.required,
  held: each.held === true,
})

/** Returns the template variables of authorization details; `null` if there are none. */
export const details = (given: ReadonlyArray<ConsentDetail> | undefined, language: Language): ViewValue =>
  given === undefined || given.length === 0 ? null : given.map((each) => detail(each, language))

const detail = ({ name, type, said, resources, held }: ConsentDetail, language: Language): View => {
  const words = wordsFor(said, language)
  const text = (value: ShownValue): string =>
    typeof value === "string" ? value : typeof value === "boolean" ? language.say(value ? "detail.yes" : "detail.no") : language.list(value)
  return {
    name,
    held: held === true,
    title: words?.title ?? type,
    // Values are marked, because the client chose them, whereas the words around them are the provider's.
    summary: (words?.summary ?? []).map((part) =>
      typeof part === "string" ? { text: part, value: null } : { text: null, value: text(part.value) },
    ),
    fields: (words?.fields ?? []).map(({ label, value }) => ({ label, value: text(value) })),
    resources: language.list(resources),
  }
}

/** Returns the wording in the page's language, in that language without a region, in English, or else the first one. */
const wordsFor = (said: ConsentDetail["said"], { tag }: Language): DetailSaid | undefined =>
  [tag, tag.split("-", 1)[0] ?? tag, "en", ...Object.keys(said)].flatMap((each) => (Object.hasOwn(said, each) ? [said[each]] : []))[0]
