import type { Page, PageContext, Trouble } from "@postern/core/model"
import {
  at,
  bare,
  changes,
  client,
  consent,
  details,
  form,
  home,
  login,
  ofDeveloper,
  person,
  providers,
  published,
  scopes,
} from "./sampleParts.ts"

/** A representative page of its kind, with a name to identify it. */
export interface Sample {
  readonly name: string
  readonly page: Page
}

/** All troubles. The type ensures that none is missing. */
export const troubles: ReadonlyArray<Trouble> = Object.keys({
  client_unknown: 0,
  redirect_uri_invalid: 0,
  request_invalid: 0,
  logout_redirect_uri_invalid: 0,
  logout_hint_invalid: 0,
  logout_hint_foreign: 0,
  interaction_expired: 0,
  interaction_finished: 0,
  interaction_elsewhere: 0,
  form_stale: 0,
  too_many_attempts: 0,
  not_found: 0,
  method_not_allowed: 0,
  unavailable: 0,
  uncertain: 0,
  failed: 0,
} satisfies Record<Trouble, 0>) as ReadonlyArray<Trouble>

/** Pages that together cover everything the pages can show. Templates are tried on them when they are loaded. */
export const samples: ReadonlyArray<Sample> = [
  { name: "login", page: login },
  { name: "login-home", page: { ...login, client: undefined, username: "alice", tenant: "acme" } },
  { name: "login-wrong", page: { ...login, client: bare, username: "alice", problem: "credentials" } },
  { name: "login-throttled", page: { ...login, username: "alice", problem: "throttled", retryAfter: 45 } },
  { name: "login-paused", page: { ...login, problem: "throttled" } },
  { name: "login-stale", page: { ...login, problem: "form_stale" } },
  { name: "login-again", page: { ...login, username: "alice", person, another: "/login?another=1" } },
  { name: "login-providers", page: { ...login, providers } },
  { name: "login-elsewhere", page: { ...login, local: false, providers, problem: "local_forbidden" } },
  ...(["upstream_denied", "upstream_failed", "upstream_stale", "upstream_rejected"] as const).map((problem): Sample => ({
    name: `login-${problem.replaceAll("_", "-")}`,
    page: { ...login, client: bare, local: problem !== "upstream_denied", providers, problem, problemProvider: "Fabrikam Staff" },
  })),
  { name: "consent", page: consent },
  {
    name: "consent-bare",
    page: { ...consent, client: bare, person: { ...person, name: "alice" }, scopes: scopes.slice(0, 1), destination: "com.example.app:" },
  },
  {
    name: "consent-more",
    page: { ...consent, scopes: scopes.map((each, at) => (at % 3 === 1 ? each : { ...each, held: true as const })) },
  },
  { name: "consent-document", page: { ...consent, client: published, destination: "http://127.0.0.1:53682" } },
  { name: "consent-document-changed", page: { ...consent, client: { ...published, callsItself: "Notes" }, changes } },
  { name: "consent-development", page: { ...consent, client: ofDeveloper, destination: "http://127.0.0.1:8410" } },
  { name: "login-development", page: { ...login, client: ofDeveloper } },
  { name: "consent-details", page: { ...consent, details } },
  {
    name: "consent-details-more",
    page: {
      ...consent,
      scopes: scopes.map((each) => ({ ...each, held: true as const })),
      details: details.map((each, at) => (at === 0 ? each : { ...each, held: true as const })),
    },
  },
  {
    name: "consent-unverified",
    page: { ...consent, client: { ...client, unverified: true, inLanguages: { de: { name: "Contoso-Kalender" } } } },
  },
  { name: "home", page: home },
  { name: "home-first", page: { ...home, sessions: home.sessions.slice(0, 1), consents: [], notice: "consent_withdrawn" } },
  { name: "home-ended", page: { ...home, notice: "session_ended" } },
  { name: "device", page: { _tag: "DeviceCode", form: form("/device"), userCode: "", problem: "none" } },
  ...(["unknown", "expired", "used"] as const).map((problem): Sample => ({
    name: `device-${problem}`,
    page: { _tag: "DeviceCode", form: form("/device"), userCode: "BCDF-GHJK", problem },
  })),
  {
    name: "device-confirm",
    page: { _tag: "DeviceConfirm", form: form("/device"), userCode: "BCDF-GHJK", client, person, scopes, another: "/device?another=1" },
  },
  {
    name: "device-confirm-details",
    page: {
      _tag: "DeviceConfirm",
      form: form("/device"),
      userCode: "BCDF-GHJK",
      client,
      person,
      scopes: [],
      details: details.slice(0, 1),
      another: "/device?another=1",
    },
  },
  {
    name: "device-qr",
    page: {
      _tag: "DeviceQr",
      form: { action: "/device", hidden: [["user_code", "BCDF-GHJK"]] },
      userCode: "BCDF-GHJK",
      address: "https://op.example/device",
      addressWithCode: "https://op.example/device?user_code=BCDF-GHJK",
    },
  },
  { name: "device-approved", page: { _tag: "DeviceDone", approved: true, client } },
  { name: "device-denied", page: { _tag: "DeviceDone", approved: false, client: bare } },
  { name: "logout", page: { _tag: "Logout", person, form: form("/logout") } },
  { name: "signed-out", page: { _tag: "SignedOut" } },
  {
    name: "signing-out",
    page: {
      _tag: "SigningOut",
      frames: ["https://notes.example/logout?iss=https%3A%2F%2Fop.example&sid=s1", "https://shop.example/logout"],
      onward: "https://notes.example/goodbye?state=s",
    },
  },
  { name: "signing-out-here", page: { _tag: "SigningOut", frames: ["https://notes.example/logout"] } },
  ...troubles.map((trouble): Sample => ({
    name: `error-${trouble.replaceAll("_", "-")}`,
    page: { _tag: "Error", trouble, error: undefined, retryAfter: undefined },
  })),
  { name: "error", page: { _tag: "Error", trouble: "request_invalid", error: "invalid_request", retryAfter: 90 } },
  {
    name: "form-post",
    page: {
      _tag: "FormPost",
      action: "https://notes.example/callback",
      fields: [
        ["code", "c.1"],
        ["state", "s"],
      ],
      clientName: client.name,
    },
  },
]

/** The context that samples are rendered in. */
export const sampleContext: PageContext = {
  locales: [],
  languageAddress: "/login?lang=",
  requestId: "01JD8ZK4T7Q2",
  nonce: "bm9uY2U",
  issuer: "https://op.example",
  basePath: "",
  tenant: undefined,
  now: at,
}
