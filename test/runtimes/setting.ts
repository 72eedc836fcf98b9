import { type Provider, createProvider, defineClient } from "@postern/core"
import { type SigningKey, generateKey, joseSigner, signingAlgorithms } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

export const issuer = "https://op.example"
export const callback = "https://app.example/cb"
export const person = { username: "ann", password: "correct horse" }
const secret = "s:e%c+r &t=ü"
const beginning = 1_795_219_200

/** A key for each algorithm, made by the runtime itself. */
export const makeKeys = (): Promise<ReadonlyArray<SigningKey>> =>
  Promise.all(signingAlgorithms.map((alg) => generateKey(alg, { createdAt: beginning, activeAt: beginning }, undefined)))

const resources = [{ identifier: "https://api.example", scopes: [{ name: "api.read", required: false }] }]

/** A client for each algorithm, named after it. */
const clients = signingAlgorithms.map((alg) =>
  defineClient(
    {
      client_id: alg,
      grant_types: ["authorization_code", "refresh_token", "client_credentials"],
      redirect_uris: [callback],
      scope: "openid profile offline_access api.read",
      access_token_signed_response_alg: alg,
      id_token_signed_response_alg: alg,
    },
    { issuer, resources },
  ),
)

/** A provider in memory. Its clock stands still until told, or is the system's. */
export const open = (keys: ReadonlyArray<SigningKey>, clock: "standing" | "system") => {
  let seconds = beginning
  const provider = createProvider({
    issuer,
    resources,
    clients: memoryClientStore(clients, Object.fromEntries(clients.map(({ clientId }) => [clientId, secret]))),
    tokens: memoryTokenStore(),
    signer: joseSigner({ keys: () => keys, now: () => seconds }),
    authenticator: memoryAuthenticator([
      { person: { subject: "sub-ann", username: person.username, active: true, claims: { name: "Ann Ünal" } }, password: person.password },
    ]),
    pages: { render: (page) => JSON.stringify(page) },
    ...(clock === "standing" ? { clock: () => seconds * 1000 } : {}),
  })
  return { provider, pass: (by: number) => void (seconds += by), date: () => new Date(seconds * 1000) }
}

/** A page as far as a browser needs it. */
export interface ShownPage {
  readonly _tag: string
  readonly problem?: string
  readonly form: { readonly action: string; readonly hidden: Array<[string, string]> }
}

/** A browser as far as the flow needs one: it keeps cookies, goes where it is sent on the provider, and fills in forms. */
export const browser = ({ fetch }: Provider) => {
  const cookies = new Map<string, string>()
  const go = async (target: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = Array.from(cookies, (pair) => pair.join("=")).join("; ")
    const response = await fetch(
      new Request(new URL(target, issuer), { headers: { cookie }, ...(form === undefined ? {} : { method: "POST", body: form }) }),
    )
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]*)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const to = response.headers.get("location")
    return to?.startsWith("/") === true ? go(to) : response
  }
  const submit = ({ form }: ShownPage, fields: ReadonlyArray<[string, string]>): Promise<Response> =>
    go(form.action, new URLSearchParams([...form.hidden, ...fields]))
  return { go, submit }
}

/** Answers to a client. */
export interface Heard {
  readonly status: number
  readonly json: Readonly<Record<string, string>>
  readonly challenge: string | null
}

const encoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

const heard = async (response: Response): Promise<Heard> => {
  const text = await response.text()
  return { status: response.status, json: text === "" ? {} : JSON.parse(text), challenge: response.headers.get("www-authenticate") }
}

/** A client that keeps a secret, and what it can say. */
export const program = ({ fetch }: Provider, clientId: string) => {
  const post = async (path: string, fields: Readonly<Record<string, string>>, shown = secret): Promise<Heard> => {
    const authorization = `Basic ${btoa(`${encoded(clientId)}:${encoded(shown)}`)}`
    return heard(await fetch(new Request(issuer + path, { method: "POST", headers: { authorization }, body: new URLSearchParams(fields) })))
  }
  return {
    post,
    refresh: (token = "") => post("/connect/token", { grant_type: "refresh_token", refresh_token: token }),
    userinfo: async (token = "") =>
      heard(await fetch(new Request(`${issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } }))),
  }
}
