import type { FeaturePage, Page, PageContext, SessionFace } from "@postern/core/model"
import { readAgent } from "./agent.ts"
import { client, details, form, hidden, inLanguage, person, scope, scopeTitle, type View } from "./parts.ts"
import { qrPath } from "./qr.ts"
import type { Language } from "./words.ts"

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
