import { UserManager, type UserManagerSettings } from "oidc-client-ts"

declare global {
  /** Objects that the test reaches in the page. */
  var spa: { readonly manager: UserManager; readonly other: (settings: Partial<UserManagerSettings>) => UserManager }
}

const { origin, pathname } = location
const settings = (await (await fetch("/settings.json")).json()) as UserManagerSettings

const other = (more: Partial<UserManagerSettings>): UserManager =>
  new UserManager({
    ...settings,
    redirect_uri: `${origin}/callback`,
    popup_redirect_uri: `${origin}/popup`,
    silent_redirect_uri: `${origin}/silent`,
    post_logout_redirect_uri: `${origin}/signed-out`,
    automaticSilentRenew: false,
    ...more,
  })
const manager = other({})
globalThis.spa = { manager, other }

/** A page of the application, by its path; each says in the document when it is done, and with what. */
const pages: Readonly<Record<string, () => Promise<unknown>>> = {
  "/callback": () => manager.signinRedirectCallback(),
  "/silent": () => manager.signinSilentCallback(),
  "/popup": () => manager.signinPopupCallback(),
  "/signed-out": () => manager.signoutRedirectCallback(),
}

try {
  const came = (await pages[pathname]?.()) as { readonly state?: unknown; readonly userState?: unknown } | undefined
  document.body.dataset["state"] = JSON.stringify(came?.userState ?? came?.state)
  document.body.dataset["done"] = "well"
} catch (error) {
  document.body.dataset["done"] = String(error)
}
