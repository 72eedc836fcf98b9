import type { PageContext, PagesPort, Provider } from "@postern/core"
import { type Message, basePathOf, isForm } from "@postern/core/wire"
import { type ClaimsProblem, type SignInPage, anybodyPage } from "./anybodyPage.ts"
import type { People } from "./people.ts"

/** The claims of a submitted form, kept until its page is shown again. */
interface Typed {
  readonly claims: string
  readonly problem: ClaimsProblem | undefined
}

/** The maximum forms whose claims are kept. */
const mostKept = 100

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Lets anybody sign in, on a page with a field for claims. */
export interface Anybody {
  /** Wraps a provider so that it receives the form's claims as the password. */
  readonly asked: <P extends Pick<Provider, "handle">>(provider: P) => P
  readonly pages: PagesPort
}

/**
 * Adds a field for claims to an issuer's sign-in page. Its content is passed as the password to the authenticator, which accepts claims
 * there.
 */
export const anybodyOn = (issuer: string, pages: PagesPort, people: Pick<People, "isGiven">): Anybody => {
  const path = `${basePathOf(issuer)}/login`
  const typed = new Map<string, Typed>()
  /**
   * The password to submit: the claims, or an invalid password if they are not accepted. Without claims it is the typed password. If that
   * is empty too, any password will do for a person who is not configured.
   */
  const passwordOf = (params: URLSearchParams): string => {
    const claims = params.get("claims") ?? ""
    const password = params.get("password") ?? ""
    const isGiven = people.isGiven(params.get("username") ?? "")
    if (claims.trim() === "") return password === "" && !isGiven ? "any" : password
    const problem = isGiven ? "given" : isObject(claims) ? undefined : "not_json"
    for (const oldest of [...typed.keys()].slice(0, Math.max(0, typed.size + 1 - mostKept))) typed.delete(oldest)
    typed.set(params.get("csrf") ?? "", { claims, problem })
    return problem === undefined ? claims : "{"
  }
  const read = (message: Message): Message => {
    if (message.method !== "POST" || message.path !== path || !isForm(message.headers["content-type"])) return message
    const params = new URLSearchParams(message.body)
    if (!params.has("claims")) return message
    params.set("password", passwordOf(params))
    params.delete("claims")
    return { ...message, body: params.toString() }
  }
  const shown = (page: SignInPage, context: PageContext): ReturnType<PagesPort["render"]> => {
    const csrf = page.form.hidden.find(([name]) => name === "csrf")?.[1] ?? ""
    const { claims = "", problem } = typed.get(csrf) ?? {}
    typed.delete(csrf)
    return pages.render(anybodyPage.page({ page, claims, problem }), context)
  }
  return {
    asked: (provider) => ({ ...provider, handle: (message) => provider.handle(read(message)) }),
    pages: {
      ...pages,
      // The usual page shows other ways to sign in, if there are any.
      render: (page, context) =>
        page._tag === "Login" && page.local && page.providers.length === 0 ? shown(page, context) : pages.render(page, context),
    },
  }
}
