import { type Client, type Person, type Refusal, type WaitingRequest, answerErrors, refuse } from "../../model/index.ts"
import { areMethods, isContext } from "../../rules/acr.ts"
import { stale } from "../../rules/ownForm.ts"
import { wrong } from "../../rules/allowed.ts"
import { shownNames } from "../../rules/form.ts"
import { clientGone } from "../../rules/interaction.ts"
import { type PageRefusal } from "../../rules/page.ts"
import { sourceFault } from "../../rules/provider.ts"
import { pass, prove, table } from "../../rules/rule.ts"

/** An answer, as any code may have given it. */
export type AnyAnswer = Readonly<Record<string, unknown>>

/** A member of an answer that should be an object. */
export const record = (value: unknown): AnyAnswer => (typeof value === "object" && value !== null ? { ...value } : {})

/** The members of each kind of answer that has any. */
const members: Readonly<Record<string, ReadonlyArray<string>>> = {
  signIn: ["subject", "amr", "acr", "authTime"],
  consent: ["scopes", "details"],
  error: ["error", "description"],
}

/** Judges whether an answer says no more than is heard: a person may rely on what a page took for a limit. */
export const memberRules = table<{ readonly answer: AnyAnswer }, PageRefusal>("interaction/members").rule(
  "interaction.members",
  "OpenID Connect Core §3.1.2.4",
  ({ answer }) => {
    const unknown = Object.entries(members).flatMap(([kind, known]) =>
      Object.keys(record(answer[kind])).flatMap((name) => (known.includes(name) ? [] : [`${kind}.${name}`])),
    )
    return unknown.length === 0 ? pass : wrong(`members that there are none of, and that would count for nothing: ${shownNames(unknown)}`)
  },
)

/** An answer, and the browser that it came from. */
export interface AnswerSeen {
  /** The kinds of answer that it holds. */
  readonly kinds: ReadonlyArray<"signIn" | "consent" | "deny" | "error">
  readonly answer: AnyAnswer
  readonly csrf: unknown
  readonly browser: { readonly csrf: string; readonly sessionCsrf: string }
}

/**
 * Judges whether an answer comes from the page that this browser was shown, and contains exactly one kind of answer. A consent is valid
 * only for the session in which it was asked.
 */
export const answerRules = table<AnswerSeen, PageRefusal>("interaction/answer")
  .establish("interaction.answer", "RFC 6749 §4.1.1", ({ kinds, answer }) => {
    const [kind] = kinds
    if (kind === "deny" && answer["deny"] !== true) return wrong("deny is not true")
    return kind === undefined || kinds.length > 1 ? wrong("not one of signIn, consent, deny and error, or no plain data") : prove({ kind })
  })
  .rule("interaction.csrf", "RFC 6749 §10.12", ({ kind, csrf, browser }) => {
    if (csrf === browser.sessionCsrf || (kind !== "consent" && csrf === browser.csrf)) return pass
    return stale(csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session")
  })

interface SignInSeen {
  readonly now: number
  readonly interaction: WaitingRequest
  readonly client: Client | undefined
  readonly person: Person | undefined
  readonly tenant: string | undefined
  readonly notBefore: number | undefined
  readonly subject: unknown
  readonly amr: unknown
  readonly acr: unknown
  readonly authTime: unknown
}

/** Judges a sign-in by an embedder, because the rules of a request apply whoever signs the person in. */
export const signInRules = table<SignInSeen, PageRefusal>("interaction/sign-in")
  .rule("interaction.client", "OpenID Connect Core §3.1.2.3", ({ interaction, client }) =>
    interaction.clientId === undefined || client?.disabled === false ? pass : clientGone(),
  )
  .establish("interaction.person-known", "OpenID Connect Core §3.1.2.3", ({ person, subject }) =>
    person === undefined || person.subject !== subject ? wrong("the authenticator knows no person of this subject") : prove({ person }),
  )
  .rule("interaction.person-active", "OpenID Connect Core §3.1.2.3", ({ person }) =>
    person.active ? pass : wrong("the person is disabled"),
  )
  .rule("interaction.person-tenant", "specification §2.1 acr_values", ({ person, tenant }) =>
    tenant === undefined || typeof person.tenant !== "string" || person.tenant === tenant
      ? pass
      : wrong("the person belongs to another tenant than the one that is asked for"),
  )
  .rule("interaction.source", "specification §1", ({ client }) => {
    const fault = sourceFault(client, { idp: undefined })
    return fault === undefined ? pass : wrong("the client takes people from other providers alone")
  })
  .establish("interaction.auth-time", "OpenID Connect Core §2", ({ authTime, now }) => {
    const given = authTime ?? now
    return typeof given === "number" && Number.isInteger(given) && given > 0 && given <= now
      ? prove({ authTime: given })
      : wrong("authTime is no time in whole seconds, or in the future")
  })
  .rule("interaction.sign-in-fresh", "OpenID Connect Core §3.1.2.1", ({ authTime, notBefore }) =>
    notBefore === undefined || authTime >= notBefore
      ? pass
      : wrong(`a fresh sign-in is asked for: it was ${notBefore - authTime} s too early`),
  )
  .establish("interaction.acr", "OpenID Connect Core §2", ({ acr }) =>
    acr === undefined || isContext(acr) ? prove({ acr }) : wrong("acr is no authentication context: 1 to 200 printable ASCII characters"),
  )
  .establish("interaction.amr", "RFC 8176 §1", ({ amr = [] }) =>
    areMethods(amr) ? prove({ amr }) : wrong("amr is no list of at most 20 methods, each 1 to 50 printable ASCII characters"),
  )

/** Judges the error with which a request must end. */
export const errorRules = table<{ readonly error: unknown; readonly description: unknown }, PageRefusal>("interaction/error")
  .establish("interaction.error-code", "OpenID Connect Core §3.1.2.6", ({ error }) => {
    const code = answerErrors.find((each) => each === error)
    return code === undefined ? wrong("an error that no client expects here") : prove({ code })
  })
  .establish("interaction.error-text", "RFC 6749 §4.1.2.1", ({ code, description = "The sign-in was not completed." }) =>
    typeof description === "string" && /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(description)
      ? prove<{ readonly refusal: Refusal }>({ refusal: refuse(code, description, "ended by the page that asked the person") })
      : wrong('error_description: 1 to 200 printable ASCII characters without " and \\'),
  )
