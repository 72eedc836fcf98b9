import type {
  ClientChange,
  ClientFace,
  ConsentDetail,
  ConsentScope,
  Form,
  Page,
  PageContext,
  PersonFace,
  Trouble,
} from "@postern/core/model"

/** A page that stands for its kind, with a name to tell it by. */
export interface Sample {
  readonly name: string
  readonly page: Page
}

const client: ClientFace = {
  clientId: "northwind",
  name: "Northwind Notes",
  uri: "https://notes.example/",
  logoUri: "https://notes.example/logo.png",
  policyUri: "https://notes.example/privacy",
  tosUri: "https://notes.example/terms",
}
const bare: ClientFace = {
  clientId: "harbour",
  name: "Harbour",
  uri: undefined,
  logoUri: undefined,
  policyUri: undefined,
  tosUri: undefined,
}
const person: PersonFace = { subject: "01J", username: "alice", name: "Alice Liddell", zone: "Europe/London" }
const form = (action: string): Form => ({ action, hidden: [["csrf", "token"]] })
const scope = (name: string, kind: ConsentScope["kind"], more: Partial<ConsentScope> = {}): ConsentScope => ({
  name,
  kind,
  required: false,
  title: undefined,
  description: undefined,
  resources: [],
  ...more,
})
const scopes: ReadonlyArray<ConsentScope> = [
  scope("openid", "identity", { required: true }),
  scope("profile", "identity"),
  scope("email", "identity"),
  scope("notes.read", "resource", {
    title: "Read your notes",
    description: "Everything you have written or been sent.",
    resources: ["Notes API"],
  }),
  scope("notes.write", "resource", { resources: ["Notes API", "Archive API"] }),
  scope("claim birthdate", "claim", { title: "birthdate" }),
  scope("offline_access", "offline_access"),
]
const login: Extract<Page, { _tag: "Login" }> = {
  _tag: "Login",
  form: form("/login"),
  client,
  username: "",
  local: true,
  providers: [],
  problem: undefined,
  problemProvider: undefined,
  retryAfter: undefined,
  person: undefined,
  another: undefined,
  tenant: undefined,
}
const providers = [
  ["corp", "Fabrikam Staff"],
  ["school", "University of Ghent"],
].map(([name = "", displayName = ""]) => ({ name, displayName, form: form("/login/upstream") }))
const details: ReadonlyArray<ConsentDetail> = [
  {
    name: "detail 1",
    type: "payment_initiation",
    detail: { type: "payment_initiation" },
    said: {
      en: {
        title: "Payment",
        summary: ["Pay ", { value: "123.50" }, " ", { value: "EUR" }, " to ", { value: "Merchant A" }],
        fields: [
          { label: "Account", value: "DE02100100109307118603" },
          { label: "Instant", value: true },
          { label: "Actions", value: ["initiate", "cancel"] },
        ],
      },
      de: {
        title: "Zahlung",
        summary: [{ value: "123.50" }, " ", { value: "EUR" }, " an ", { value: "Merchant A" }, " zahlen"],
        fields: [
          { label: "Konto", value: "DE02100100109307118603" },
          { label: "Sofort", value: true },
          { label: "Aktionen", value: ["initiate", "cancel"] },
        ],
      },
    },
    resources: ["Payments"],
  },
  {
    name: "detail 2",
    type: "account_information",
    detail: { type: "account_information" },
    said: { en: { title: "Account information", summary: ["See the balance"], fields: [] } },
    resources: ["Accounts"],
  },
]
const consent: Extract<Page, { _tag: "Consent" }> = {
  _tag: "Consent",
  form: form("/consent"),
  client,
  person,
  scopes,
  destination: "https://notes.example",
  another: "/login?interaction=i.1&another=1",
}
const published: ClientFace = {
  ...bare,
  clientId: "https://agents.notes.example/client.json",
  name: "agents.notes.example",
  host: "agents.notes.example",
  callsItself: "Northwind Notes, the official assistant of your bank and go…",
  unverified: true,
  isOnDevice: true,
}
const changes: ReadonlyArray<ClientChange> = [
  { part: "redirect", value: "https://elsewhere.example" },
  { part: "redirect" },
  { part: "keys" },
  { part: "method" },
  { part: "scope" },
  { part: "name", value: "Northwind Notes" },
  { part: "name" },
]
const at = 1_795_000_000
const home: Extract<Page, { _tag: "Home" }> = {
  _tag: "Home",
  person,
  sessions: [
    {
      id: "s1",
      agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      address: "203.0.113.0/24",
      signedInAt: at - 7200,
      seenAt: at - 5,
      current: true,
    },
    {
      id: "s2",
      agent:
        "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
      address: "2001:db8:4f::/48",
      signedInAt: at - 90_000,
      seenAt: at - 10_900,
      current: false,
    },
    { id: "s3", agent: "", address: undefined, signedInAt: at - 900_000, seenAt: at - 400_000, current: false },
  ],
  consents: [
    { client, scopes: scopes.slice(0, 3), grantedAt: at - 900_000 },
    { client: bare, scopes: scopes.slice(3), details, grantedAt: at - 86_400 },
  ],
  endSession: form("/sessions/end"),
  withdrawConsent: form("/consents/withdraw"),
  logout: form("/logout"),
  another: "/login?another=1",
  notice: undefined,
}

/** Every way in which a person's way can end; the type sees to it that none is left out. */
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

/** Pages that between them show everything a page can show: templates are tried on them when they are loaded. */
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
