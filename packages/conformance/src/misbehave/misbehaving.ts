import type { Provider } from "@postern/core"
import type { Answer, Message } from "@postern/core/wire"
import { objectOf, textOf } from "../exchange/exchange.ts"
import type { Forge } from "./forge.ts"
import { type Ledger, control } from "./ledger.ts"
import type { Misbehavior, Stage, Step } from "./misbehavior.ts"

/** A client as far as its answers are told from others' by it. */
export interface KnownClient {
  readonly client_id: string
  readonly redirect_uris: ReadonlyArray<string>
}

/** What a misbehaving provider is made of. */
export interface Parts {
  readonly provider: Pick<Provider, "handle">
  readonly issuer: string
  readonly forge: Forge
  readonly clients: ReadonlyArray<KnownClient>
  readonly ledger: Ledger
  /** The misbehavior of this issuer for a client, and for the value of `acr_values` that the client asked with; undefined where it is to be right. */
  readonly chosen: (client: string | undefined, acr: string | undefined) => Misbehavior | undefined
}

const paths: ReadonlyArray<readonly [end: string, step: Step]> = [
  ["/.well-known/openid-configuration", "metadata"],
  ["/jwks", "keys"],
  ["/connect/authorize", "authorize"],
  ["/connect/token", "token"],
  ["/connect/userinfo", "userinfo"],
]

const stepOf = ({ path }: Message, form: URLSearchParams): Step | undefined => {
  const step = path.includes("/.well-known/oauth-authorization-server") ? "metadata" : paths.find(([end]) => path.endsWith(end))?.[1]
  return step === "token" && form.get("grant_type") === "refresh_token" ? "refresh" : step
}

const basicUser = (authorization = ""): string | undefined => {
  const coded = /^basic (.+)$/i.exec(authorization)?.[1]
  if (coded === undefined) return undefined
  const user = Buffer.from(coded, "base64").toString().split(":")[0] ?? ""
  return new URLSearchParams(`user=${user}`).get("user") ?? undefined
}

const headerOf = ({ headers }: Answer, wanted: string): string | undefined => headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** Answers as a right provider does, and then changes what it was told to get wrong; every request is written into the ledger. */
export const misbehaving = ({ provider, issuer, forge, clients, ledger, chosen }: Parts): Provider["handle"] => {
  /** The latest `acr_values` of each client, and the clients of the access tokens. */
  const asked = new Map<string, string | undefined>()
  const holders = new Map<string, string>()
  let latest: string | undefined

  const clientOf = (message: Message, form: URLSearchParams): string | undefined =>
    form.get("client_id") ??
    basicUser(message.headers["authorization"]) ??
    holders.get(/^bearer (.+)$/i.exec(message.headers["authorization"] ?? "")?.[1] ?? form.get("access_token") ?? "")

  /** The client that an authorization response goes to; undefined for any other answer. */
  const sentTo = (answer: Answer): string | undefined => {
    const to = headerOf(answer, "location")
    const theirs = clients.filter(({ redirect_uris }) => redirect_uris.some((uri) => to?.startsWith(uri)))
    return (theirs.find(({ client_id }) => client_id === latest) ?? theirs[0])?.client_id
  }

  const changed = async (misbehavior: Misbehavior | undefined, stage: Stage, answer: Answer): Promise<Answer | undefined> =>
    misbehavior?.transform[stage]?.({ answer, issuer, forge })

  return async (message) => {
    const form = new URLSearchParams(message.method === "POST" ? message.body : message.query)
    const step = stepOf(message, form)
    // A request for the keys names nobody: it is of the client that signs somebody in.
    const client = step === "keys" ? latest : step === undefined ? undefined : clientOf(message, form)
    if (step === "authorize" && client !== undefined) {
      latest = client
      asked.set(client, form.get("acr_values") ?? undefined)
    }
    const right = await provider.handle(message)
    const receiver = sentTo(right)
    const whose = receiver ?? client
    const misbehavior = chosen(whose, asked.get(whose ?? ""))
    const id = misbehavior?.id ?? control
    const stage = receiver === undefined ? step : "authorization"
    const wrong = stage === undefined || stage === "authorize" ? undefined : await changed(misbehavior, stage, right)
    const token = stage === "token" || stage === "refresh" ? textOf(objectOf(right.body)?.["access_token"]) : ""
    if (token !== "" && client !== undefined) holders.set(token, client)
    const delivered = wrong === undefined || stage === "authorize" ? undefined : stage
    if (step !== undefined) ledger.add(id, client, { kind: "asked", step, delivered: receiver === undefined ? delivered : undefined })
    if (receiver !== undefined) ledger.add(id, receiver, { kind: "sent back", delivered })
    return wrong ?? right
  }
}
