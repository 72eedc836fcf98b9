/**
 * A page of a provider and the way to pass it, as data. Elements are identified by the name of a field or button, the text of a button,
 * link or label, or a CSS selector.
 */
export interface PageRecipe {
  readonly kind: "sign-in" | "consent" | "confirmation"
  /** The element that identifies the page. */
  readonly when: string
  /** True if scripts render the page. Chromium then shows it and all later pages. */
  readonly javascript?: boolean
  /** The texts of fields. `{username}` and `{password}` stand for the person's, `{user_code}` for a device's. */
  readonly fill?: Readonly<Record<string, string>>
  /** A CSS selector of check boxes that are ticked before continuing, as where a person grants scopes one by one. To refuse, none is. */
  readonly tick?: string
  /** The button to continue. */
  readonly click: string
  /** The button to refuse. */
  readonly refuse?: string
}

/** The recipes of a provider's pages. */
export interface Recipe {
  readonly name: string
  readonly pages: ReadonlyArray<PageRecipe>
  /** The path below the issuer at which a person decides CIBA requests; undefined if unknown. */
  readonly approvals?: string
}

/** A page with a form of username and password, by the CSS selectors of its two fields. */
const signIn = (when: string, [username, password]: readonly [string, string], click: string): PageRecipe => ({
  kind: "sign-in",
  when,
  fill: { [username]: "{username}", [password]: "{password}" },
  click,
})

const consent = (when: string, click: string, refuse: string): PageRecipe => ({ kind: "consent", when, click, refuse })

const confirmation = (when: string, click: string): PageRecipe => ({ kind: "confirmation", when, click })

/** The page of a device's code, by the CSS selector of its field. */
const userCode = (when: string, field: string, click: string): PageRecipe => ({
  ...confirmation(when, click),
  fill: { [field]: "{user_code}" },
})

const postern: Recipe = {
  name: "postern",
  approvals: "/approve",
  pages: [
    signIn("#login-submit", ["#username", "#password"], "#login-submit"),
    consent("#consent-allow", "#consent-allow", "#consent-deny"),
    userCode("#device-continue", "#user_code", "#device-continue"),
    consent("#device-allow", "#device-allow", "#device-deny"),
    consent("#approval-allow", "#approval-allow", "#approval-deny"),
    confirmation("#logout-confirm", "#logout-confirm"),
  ],
}

/** The development pages of oidc-provider (`features.devInteractions`). */
const oidcProvider: Recipe = {
  name: "oidc-provider",
  pages: [
    signIn("form input[name=login]", ["input[name=login]", "input[name=password]"], "form button[type=submit]"),
    consent("form input[name=prompt][value=consent]", "form button[type=submit]", "a[href$='/abort']"),
    confirmation("button[name=logout]", "button[name=logout][value=yes]"),
    userCode("form[id='op.deviceInputForm']", "input[name=user_code]", "button[form='op.deviceInputForm']"),
    consent(
      "form[id='op.deviceConfirmForm']",
      "button[form='op.deviceConfirmForm']:not([name=abort])",
      "button[form='op.deviceConfirmForm'][name=abort]",
    ),
    confirmation("form input[type=hidden][name=user_code]", "form button[type=submit]"),
  ],
}

const keycloak: Recipe = {
  name: "keycloak",
  pages: [
    signIn("#kc-form-login", ["#username", "#password"], "#kc-login"),
    consent("#kc-oauth, input[name=accept]", "#kc-login, input[name=accept]", "#kc-cancel, input[name=cancel]"),
    confirmation("#kc-logout-confirm, #kc-logout", "#kc-logout"),
  ],
}

/** The pages that Spring Security and Spring Authorization Server have by themselves. */
const spring: Recipe = {
  name: "spring",
  pages: [
    signIn(
      "form[action$='/login'] input[name=username]",
      ["input[name=username]", "input[name=password]"],
      "form[action$='/login'] button[type=submit]",
    ),
    {
      ...consent("form[name=consent_form]", "#submit-consent", "#submit-consent"),
      tick: "form[name=consent_form] input[name=scope]",
    },
    userCode("input[name=user_code]", "input[name=user_code]", "button[type=submit]"),
  ],
}

/** The built-in recipes. */
export const recipes: ReadonlyArray<Recipe> = [postern, oidcProvider, keycloak, spring]

/** Our own pages. */
export const ownPages = postern
