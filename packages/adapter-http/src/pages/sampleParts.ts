import type { ClientChange, ClientFace, ConsentDetail, ConsentScope, Form, Page, PersonFace } from "@postern/core/model"

/** The client of most samples, with every optional part. */
export const client: ClientFace = {
  clientId: "northwind",
  name: "Northwind Notes",
  uri: "https://notes.example/",
  logoUri: "https://notes.example/logo.png",
  policyUri: "https://notes.example/privacy",
  tosUri: "https://notes.example/terms",
}

/** A client with only a name. */
export const bare: ClientFace = {
  clientId: "harbour",
  name: "Harbour",
  uri: undefined,
  logoUri: undefined,
  policyUri: undefined,
  tosUri: undefined,
}

/** The person of all samples. */
export const person: PersonFace = { subject: "01J", username: "alice", name: "Alice Liddell", zone: "Europe/London" }

/** Creates a form for an action. */
export const form = (action: string): Form => ({ action, hidden: [["csrf", "token"]] })
const scope = (name: string, kind: ConsentScope["kind"], more: Partial<ConsentScope> = {}): ConsentScope => ({
  name,
  kind,
  required: false,
  title: undefined,
  description: undefined,
  resources: [],
  ...more,
})

/** Scopes of every kind. */
export const scopes: ReadonlyArray<ConsentScope> = [
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

/** A sample of the page that asks for a password. */
export const login: Extract<Page, { _tag: "Login" }> = {
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

/** Other providers that users may sign in with. */
export const providers = [
  ["corp", "Fabrikam Staff"],
  ["school", "University of Ghent"],
].map(([name = "", displayName = ""]) => ({ name, displayName, form: form("/login/upstream") }))

/** Authorization details, in one language and in two. */
export const details: ReadonlyArray<ConsentDetail> = [
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

/** The consent page. */
export const consent: Extract<Page, { _tag: "Consent" }> = {
  _tag: "Consent",
  form: form("/consent"),
  client,
  person,
  scopes,
  destination: "https://notes.example",
  another: "/login?interaction=i.1&another=1",
}

/** A client identified by its published metadata document and not verified by anyone. */
export const published: ClientFace = {
  ...bare,
  clientId: "https://agents.notes.example/client.json",
  name: "agents.notes.example",
  host: "agents.notes.example",
  callsItself: "Northwind Notes, the official assistant of your bank and go…",
  unverified: true,
  isOnDevice: true,
}

/** A client under development, on the machine of a provider that is under development too. */
export const ofDeveloper: ClientFace = {
  ...bare,
  clientId: "http://127.0.0.1:8410/app.json",
  name: "127.0.0.1:8410",
  host: "127.0.0.1:8410",
  callsItself: "Notes for the terminal",
  unverified: true,
  isOnDevice: true,
  isUnderDevelopment: true,
}

/** Changes to every part of a client since the user's consent. */
export const changes: ReadonlyArray<ClientChange> = [
  { part: "redirect", value: "https://elsewhere.example" },
  { part: "redirect" },
  { part: "keys" },
  { part: "method" },
  { part: "scope" },
  { part: "name", value: "Northwind Notes" },
  { part: "name" },
]

/** The time at which samples are rendered, in seconds since 1970. */
export const at = 1_795_000_000

/** The page of a signed-in user. */
export const home: Extract<Page, { _tag: "Home" }> = {
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
