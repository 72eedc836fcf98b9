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

const postern: Recipe = {
  name: "postern",
  approvals: "/approve",
  pages: [
    { kind: "sign-in", when: "#login-submit", fill: { "#username": "{username}", "#password": "{password}" }, click: "#login-submit" },
    { kind: "consent", when: "#consent-allow", click: "#consent-allow", refuse: "#consent-deny" },
    { kind: "confirmation", when: "#logout-confirm", click: "#logout-confirm" },
    { kind: "confirmation", when: "#device-continue", fill: { "#user_code": "{user_code}" }, click: "#device-continue" },
    { kind: "consent", when: "#device-allow", click: "#device-allow", refuse: "#device-deny" },
    { kind: "consent", when: "#approval-allow", click: "#approval-allow", refuse: "#approval-deny" },
  ],
}

/** The development pages of oidc-provider (`features.devInteractions`). */
const oidcProvider: Recipe = {
  name: "oidc-provider",
  pages: [
    {
      kind: "sign-in",
      when: "form input[name=login]",
      fill: { "input[name=login]": "{username}", "input[name=password]": "{password}" },
      click: "form button[type=submit]",
    },
    { kind: "consent", when: "form input[name=prompt][value=consent]", click: "form button[type=submit]", refuse: "a[href$='/abort']" },
    { kind: "confirmation", when: "button[name=logout]", click: "button[name=logout][value=yes]" },
    {
      kind: "confirmation",
      when: "form[id='op.deviceInputForm']",
      fill: { "input[name=user_code]": "{user_code}" },
      click: "button[form='op.deviceInputForm']",
    },
    {
      kind: "consent",
      when: "form[id='op.deviceConfirmForm']",
      click: "button[form='op.deviceConfirmForm']:not([name=abort])",
      refuse: "button[form='op.deviceConfirmForm'][name=abort]",
    },
    { kind: "confirmation", when: "form input[type=hidden][name=user_code]", click: "form button[type=submit]" },
  ],
}

const keycloak: Recipe = {
  name: "keycloak",
  pages: [
    { kind: "sign-in", when: "#kc-form-login", fill: { "#username": "{username}", "#password": "{password}" }, click: "#kc-login" },
    {
      kind: "consent",
      when: "#kc-oauth, input[name=accept]",
      click: "#kc-login, input[name=accept]",
      refuse: "#kc-cancel, input[name=cancel]",
    },
    { kind: "confirmation", when: "#kc-logout-confirm, #kc-logout", click: "#kc-logout" },
  ],
}

/** The pages that Spring Security and Spring Authorization Server have by themselves. */
const spring: Recipe = {
  name: "spring",
  pages: [
    {
      kind: "sign-in",
      when: "form[action$='/login'] input[name=username]",
      fill: { "input[name=username]": "{username}", "input[name=password]": "{password}" },
      click: "form[action$='/login'] button[type=submit]",
    },
    {
      kind: "consent",
      when: "form[name=consent_form]",
      tick: "form[name=consent_form] input[name=scope]",
      click: "#submit-consent",
      refuse: "#submit-consent",
    },
    { kind: "confirmation", when: "input[name=user_code]", fill: { "input[name=user_code]": "{user_code}" }, click: "button[type=submit]" },
  ],
}

/** The built-in recipes. */
export const recipes: ReadonlyArray<Recipe> = [postern, oidcProvider, keycloak, spring]

/** Our own pages. */
export const ownPages = postern
