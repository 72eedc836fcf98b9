import type {
  ClientFace,
  ConsentDetail,
  ConsentScope,
  DetailSaid,
  FeaturePage,
  Form,
  Page,
  PageContext,
  PersonFace,
  SessionFace,
  ShownValue,
} from "@postern/core/model"
import { readAgent } from "./agent.ts"
import { once } from "./once.ts"
import { qrPath } from "./qr.ts"
import type { Language } from "./words.ts"

/** The variables of a template: plain values, or `null` for an absent one. `pages/README.md` documents the names. */
export type View = { readonly [name: string]: ViewValue }
/** The value of a variable. */
export type ViewValue = string | number | boolean | null | ReadonlyArray<ViewValue> | View

/** A page that core itself declares. */
export type OwnPage = Exclude<Page, FeaturePage>

/** The template name of each page. */
export const templates = {
  Login: "login",
  Consent: "consent",
  Home: "home",
  DeviceCode: "device",
  DeviceConfirm: "device-confirm",
  DeviceQr: "device-qr",
  DeviceDone: "device-done",
  Logout: "logout",
  SignedOut: "signed-out",
  SigningOut: "signing-out",
  Error: "error",
  FormPost: "form-post",
} as const satisfies Record<OwnPage["_tag"], string>

/** Returns the template variables of a page. */
export const viewOf = (page: OwnPage, context: PageContext, language: Language, site: string): View => {
  const { basePath } = context
  switch (page._tag) {
    case "Login":
      return {
        form: form(page.form, basePath),
        client: page.client === undefined ? null : client(page.client, language),
        username: page.username,
        local: page.local,
        providers: page.providers.map(({ name, displayName, form: own }) => ({
          name,
          display_name: displayName,
          form: form(own, basePath),
        })),
        problem:
          page.problem === undefined ? null : { text: problemText(page.problem, page, language), invalid: page.problem === "credentials" },
        person: page.person === undefined ? null : person(page.person),
        another: page.another === undefined ? null : basePath + page.another,
        tenant: page.tenant ?? null,
      }
    case "Consent":
      return {
        form: form(page.form, basePath),
        client: client(page.client, language),
        person: person(page.person),
        scopes: page.scopes.map((each) => scope(each, language)),
        some_held: [...page.scopes, ...(page.details ?? [])].some(({ held = false }) => held),
        details: details(page.details, language),
        some_new: page.scopes.some(({ held = false }) => !held),
        some_optional: page.scopes.some(({ required }) => !required) || (page.details ?? []).length > 0,
        destination: page.destination,
        another: basePath + page.another,
        changes: (page.changes ?? []).map(({ part, value }) => ({ part, value: value ?? null })),
      }
    case "Home":
      return {
        person: person(page.person),
        sessions: page.sessions.map((each) => session(each, context.now, page.person.zone, language)),
        consents: page.consents.map((each) => ({
          client: client(each.client, language),
          scopes: each.scopes.map((one) => scopeTitle(one, language)).join(" · "),
          details: details(each.details, language),
          granted_at: language.date(each.grantedAt, page.person.zone),
          granted_iso: iso(each.grantedAt),
        })),
        end_session: form(page.endSession, basePath),
        withdraw_consent: form(page.withdrawConsent, basePath),
        logout: form(page.logout, basePath),
        another: basePath + page.another,
        notice: page.notice === undefined ? null : language.say(`home.notice.${page.notice}`),
      }
    case "DeviceCode":
      return {
        form: form(page.form, basePath),
        user_code: page.userCode,
        problem: page.problem === "none" ? null : language.say(`device.problem.${page.problem}`),
      }
    case "DeviceConfirm":
      return {
        form: form(page.form, basePath),
        user_code: page.userCode,
        client: client(page.client, language),
        person: person(page.person),
        scopes: page.scopes.map((each) => scope(each, language)),
        details: details(page.details, language),
        another: basePath + page.another,
      }
    case "DeviceQr":
      return { form: form(page.form, basePath), user_code: page.userCode, address: page.address, qr: { ...qrPath(page.addressWithCode) } }
    case "DeviceDone": {
      const done = page.approved ? "approved" : "denied"
      return {
        approved: page.approved,
        title: language.say(`device_done.${done}.title`),
        text: language.say(`device_done.${done}.text`, { client: inLanguage(page.client, language).name }),
      }
    }
    case "Logout":
      return { person: person(page.person), form: form(page.form, basePath) }
    case "SignedOut":
      return {}
    case "SigningOut":
      return { frames: page.frames, onward: page.onward ?? null }
    case "Error":
      return {
        trouble: {
          name: page.trouble,
          title: language.say(`trouble.${page.trouble}.title`),
          text: language.say(`trouble.${page.trouble}.text`, { site }),
        },
        sign_out: page.trouble.startsWith("logout_") ? `${basePath}/logout` : null,
        error: page.error ?? null,
        wait: page.retryAfter === undefined ? null : language.span(page.retryAfter),
      }
    case "FormPost":
      return { form: { action: page.action, hidden: hidden(page.fields) }, client_name: page.clientName }
  }
}

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
const inLanguage = ({ inLanguages = {}, ...face }: ClientFace, { tag }: Pick<Language, "tag">): ClientFace => {
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

const hidden = (pairs: Form["hidden"]): ReadonlyArray<View> => pairs.map(([name, value]) => ({ name, value }))

/** Returns a form's template variables. */
export const form = ({ action, hidden: pairs }: Form, basePath: string): View => ({ action: basePath + action, hidden: hidden(pairs) })

const standardScopes: ReadonlySet<string> = new Set(["openid", "profile", "email", "address", "phone", "role", "offline_access"])

const scopeTitle = ({ name, kind, title }: ConsentScope, language: Language): string =>
  kind === "claim"
    ? language.say("scope.claim.title", { claim: title ?? name })
    : (title ?? (standardScopes.has(name) ? language.say(`scope.${name}.title`) : name))

/** Returns a scope's template variables. */
export const scope = (each: ConsentScope, language: Language): View => ({
  name: each.name,
  title: scopeTitle(each, language),
  description:
    each.description ?? (each.title === undefined && standardScopes.has(each.name) ? language.say(`scope.${each.name}.description`) : null),
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

const iso = (at: number): string => new Date(at * 1000).toISOString()

const session = (
  { id, agent, address, signedInAt, seenAt, current }: SessionFace,
  now: number,
  zone: string | undefined,
  language: Language,
): View => ({
  id,
  agent: agentText(agent, language),
  address: address === undefined ? null : networkText(address),
  signed_in_at: language.moment(signedInAt, zone),
  signed_in_iso: iso(signedInAt),
  seen_at: language.ago(seenAt, now),
  current,
})

/** Formats a network as a familiar address: `203.0.113.x`, `2001:db8:4f:…`. */
const networkText = (network: string): string => network.replace(/\.0\/24$/, ".x").replace(/::\/48$/, ":…")

const agentText = (agent: string, language: Language): string => {
  const { browser, system } = readAgent(agent)
  if (browser !== undefined && system !== undefined) return language.say("agent.both", { browser, system })
  return browser ?? system ?? language.say("agent.unknown")
}

const problemText = (
  problem: NonNullable<Extract<Page, { _tag: "Login" }>["problem"]>,
  { retryAfter, problemProvider }: Pick<Extract<Page, { _tag: "Login" }>, "retryAfter" | "problemProvider">,
  language: Language,
): string =>
  problem === "throttled" && retryAfter !== undefined
    ? language.say("login.problem.throttled_wait", { wait: language.span(retryAfter) })
    : language.say(`login.problem.${problem}`, { provider: problemProvider ?? language.say("login.provider_unnamed") })
