import type { ClientFace, ConsentScope, FeaturePage, Form, Page, PageContext, PersonFace, SessionFace } from "@postern/core/model"
import { readAgent } from "./agent.ts"
import { once } from "./once.ts"
import { qrPath } from "./qr.ts"
import type { Language } from "./words.ts"

/** The variables of a template: plain values, `null` for an absent one. Names are those of `pages/README.md`. */
export type View = { readonly [name: string]: ViewValue }
/** The value of a variable. */
export type ViewValue = string | number | boolean | null | ReadonlyArray<ViewValue> | View

/** A page that core declares itself. */
export type OwnPage = Exclude<Page, FeaturePage>

/** The template of each page. */
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
  Error: "error",
  FormPost: "form-post",
} as const satisfies Record<OwnPage["_tag"], string>

/** A page as its template sees it. */
export const viewOf = (page: OwnPage, context: PageContext, language: Language, site: string): View => {
  const { basePath } = context
  switch (page._tag) {
    case "Login":
      return {
        form: form(page.form, basePath),
        client: page.client === undefined ? null : client(page.client),
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
        client: client(page.client),
        person: person(page.person),
        scopes: page.scopes.map((each) => scope(each, language)),
        some_optional: page.scopes.some(({ required }) => !required),
        destination: page.destination,
        another: basePath + page.another,
      }
    case "Home":
      return {
        person: person(page.person),
        sessions: page.sessions.map((each) => session(each, context.now, page.person.zone, language)),
        consents: page.consents.map((each) => ({
          client: client(each.client),
          scopes: each.scopes.map((one) => scopeTitle(one, language)).join(" · "),
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
        client: client(page.client),
        person: person(page.person),
        scopes: page.scopes.map((each) => scope(each, language)),
        another: basePath + page.another,
      }
    case "DeviceQr":
      return { form: form(page.form, basePath), user_code: page.userCode, address: page.address, qr: { ...qrPath(page.addressWithCode) } }
    case "DeviceDone": {
      const done = page.approved ? "approved" : "denied"
      return {
        approved: page.approved,
        title: language.say(`device_done.${done}.title`),
        text: language.say(`device_done.${done}.text`, { client: page.client.name }),
      }
    }
    case "Logout":
      return { person: person(page.person), form: form(page.form, basePath) }
    case "SignedOut":
      return {}
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

/** The first letter of a name, as a person would count letters. */
const initial = (name: string): string => {
  const start = name.trim().slice(0, 20)
  // Finding where a letter ends is slow; most names begin with a plain one.
  const first = /^[A-Za-z0-9][ -~]/.test(start) ? start.slice(0, 1) : ([...graphemes().segment(start)][0]?.segment ?? "")
  return first.toUpperCase()
}

// Its rules take as long to load as a whole package.
const graphemes = once(() => new Intl.Segmenter())

/** Only web addresses become links; a `javascript:` or `data:` one is dropped, whoever registered it. */
const link = (uri: string | undefined): string | null => (uri !== undefined && /^https?:\/\//i.test(uri) ? uri : null)

/** Image sources that the pages' Content-Security-Policy allows. */
const image = (uri: string | undefined): string | null => (uri !== undefined && /^(?:https:\/\/|data:image\/)/i.test(uri) ? uri : null)

/** A client as templates see it. */
export const client = ({ clientId, name, uri, logoUri, policyUri, tosUri, unverified = false }: ClientFace): View => ({
  id: clientId,
  name,
  initial: initial(name),
  uri: link(uri),
  logo: image(logoUri),
  policy: link(policyUri),
  tos: link(tosUri),
  unverified,
})

/** A person as templates see them. */
export const person = ({ name, username }: PersonFace): View => ({ name, username, initial: initial(name) })

const hidden = (pairs: Form["hidden"]): ReadonlyArray<View> => pairs.map(([name, value]) => ({ name, value }))

/** A form as templates see it. */
export const form = ({ action, hidden: pairs }: Form, basePath: string): View => ({ action: basePath + action, hidden: hidden(pairs) })

const standardScopes: ReadonlySet<string> = new Set(["openid", "profile", "email", "address", "phone", "role", "offline_access"])

const scopeTitle = ({ name, kind, title }: ConsentScope, language: Language): string =>
  kind === "claim"
    ? language.say("scope.claim.title", { claim: title ?? name })
    : (title ?? (standardScopes.has(name) ? language.say(`scope.${name}.title`) : name))

/** A scope as templates see it. */
export const scope = (each: ConsentScope, language: Language): View => ({
  name: each.name,
  title: scopeTitle(each, language),
  description:
    each.description ?? (each.title === undefined && standardScopes.has(each.name) ? language.say(`scope.${each.name}.description`) : null),
  resources: each.resources.length === 0 ? null : language.list(each.resources),
  required: each.required,
})

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

/** A network as people know addresses: `203.0.113.x`, `2001:db8:4f:…`. */
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
