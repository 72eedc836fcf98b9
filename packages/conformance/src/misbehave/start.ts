import { toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import { type Client, type ClientDefinition, createProvider, defineClient } from "@postern/core"
import { joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http"
import type { Report } from "../run/result.ts"
import { misbehaviorOf, misbehaviors } from "./catalogue.ts"
import { type Forge, openForge } from "./forge.ts"
import { Ledger, type Score, control } from "./ledger.ts"
import { misbehaving } from "./misbehaving.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { reportOf } from "./report.ts"
import { scoreboard } from "./scoreboard.ts"

/** A client to try: its metadata as RFC 7591 §2 names it, with its secret. */
export type TriedClient = ClientDefinition & { readonly client_id: string; readonly client_secret?: string }

/** What a misbehaving provider is told. */
export interface MisbehavingOptions {
  /** The port on 127.0.0.1; a free one when not given. */
  readonly port?: number | undefined
  /** The ids of what it is to get wrong; everything when not given. With one alone the issuer itself gets it wrong, for everybody. */
  readonly faults?: ReadonlyArray<string> | undefined
  /** The misbehavior of a client at the issuer itself, by client_id. */
  readonly byClient?: Readonly<Record<string, string>> | undefined
  readonly clients: ReadonlyArray<TriedClient>
  /** The person who can sign in: `alice` with the password `alice` when not given. */
  readonly person?: { readonly username: string; readonly password: string } | undefined
}

/** A misbehaving provider that is running. */
export interface Misbehaving {
  /** The issuer that is right, unless it was told otherwise; `acr_values=fault:ID` chooses for one request. */
  readonly issuer: string
  /** The issuer that gets this wrong, for everybody. */
  readonly issuerOf: (id: string) => string
  /** The address of the scoreboard. */
  readonly scoreboard: string
  /** Tells what came of a sign-in, where it was seen at the client: whether the person is signed in there. */
  readonly told: (id: string, client: string, signedIn: boolean) => void
  /** What each client made of everything. */
  readonly scores: () => ReadonlyArray<Score>
  /** The same as a report, for the formats of `@postern/conformance`. */
  readonly report: () => Report
  /** Stops it. */
  readonly stop: () => Promise<void>
}

/** There is no misbehavior of this id. */
export class UnknownFault extends Error {
  override readonly name = "UnknownFault"
}

const known = (id: string): Misbehavior => {
  const found = misbehaviorOf(id)
  if (found === undefined) throw new UnknownFault(`there is no fault "${id}"`)
  return found
}

/** The misbehavior that a value of `acr_values` asks for. */
const askedFor = (offered: ReadonlyArray<Misbehavior>, acr = ""): Misbehavior | undefined => {
  const id = /(?:^| )fault:([\w.-]+)/.exec(acr)?.[1]
  return offered.find((each) => each.id === id)
}

const listen = (server: Server, port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : port}`)
    })
  })

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** The path of an issuer that gets one thing wrong, and the two places of its OAuth metadata (RFC 8414 §3.1). */
const prefixed = /^(?:\/\.well-known\/oauth-authorization-server)?\/f\/([\w.-]+)(?=\/|$|\?)/

/**
 * Starts a provider that is right in everything but what it is told to get wrong. Everything is in memory and on 127.0.0.1; it is for tests of clients
 * alone. Rejects with `UnknownFault` for an id that there is not, and as `defineClient` throws for a client that cannot be.
 */
export const startMisbehaving = async (options: MisbehavingOptions): Promise<Misbehaving> => {
  const offered = options.faults?.map(known) ?? misbehaviors
  const byClient = Object.entries(options.byClient ?? {}).map(([client, id]) => [client, known(id)] as const)
  const always = options.faults?.length === 1 ? offered[0] : undefined
  const forge = await openForge(Math.floor(Date.now() / 1000))
  const ledger = new Ledger()
  const startedAt = new Date()
  let answer: Listener = (_, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => answer(request, response))
  const origin = await listen(server, options.port ?? 0)
  try {
    const site = opened(origin, options)
    const make = (issuer: string, chosen: Parameters<typeof misbehaving>[0]["chosen"]): Listener => {
      const provider = site.provider(issuer, forge.keys)
      const handle = misbehaving({ provider, issuer, forge, ledger, chosen, clients: site.known })
      return toNodeHandler({ ...provider, handle }, { assets: site.assets })
    }
    const issuerOf = (id: string): string => `${origin}/f/${id}`
    const main = make(origin, (client, acr) => askedFor(offered, acr) ?? byClient.find(([id]) => id === client)?.[1] ?? always)
    const others = new Map<string, Listener>()
    const ids = site.known.map(({ client_id }) => client_id)
    const scores = (): ReadonlyArray<Score> => ledger.scores(offered, ids)
    answer = (request, response) => {
      const path = request.url ?? "/"
      if (path === "/") return scoreboard(response, scores())
      const id = prefixed.exec(path)?.[1]
      const found = offered.find((each) => each.id === id)
      if (id === undefined) return main(request, response)
      if (found === undefined && id !== control)
        return void response.writeHead(404, { "content-type": "text/plain" }).end("no such fault\n")
      const other = others.get(id) ?? make(issuerOf(id), () => found)
      others.set(id, other)
      return other(request, response)
    }
    return {
      issuer: origin,
      issuerOf,
      scoreboard: `${origin}/`,
      told: (id, client, signedIn) => ledger.add(id, client, { kind: "told", signedIn }),
      scores,
      report: () => reportOf(scores(), startedAt),
      stop: () => closed(server),
    }
  } catch (error) {
    await closed(server)
    throw error
  }
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** What all the issuers of a site have in common, and how one of them is made. */
const opened = (origin: string, { clients, person = { username: "alice", password: "alice" } }: MisbehavingOptions) => {
  const pages = liquidPages()
  const defined: ReadonlyArray<Client> = clients.map(({ client_secret: _secret, ...metadata }) =>
    defineClient(metadata, { issuer: origin }),
  )
  const secrets = Object.fromEntries(
    clients.flatMap(({ client_id, client_secret: secret }) => (secret === undefined ? [] : [[client_id, secret]])),
  )
  const claims = { name: "Alice Ant", email: "alice@example.com", email_verified: true }
  const people = [
    { person: { subject: "alice-1", username: person.username, active: true, claims, tenant: null }, password: person.password },
  ]
  return {
    assets: pages.assets,
    known: clients.map(({ client_id, redirect_uris = [] }) => ({ client_id, redirect_uris })),
    provider: (issuer: string, keys: Forge["keys"]) =>
      createProvider({
        issuer,
        pages,
        clients: memoryClientStore(defined, secrets),
        tokens: memoryTokenStore(),
        signer: joseSigner({ keys: () => keys, now: () => Math.floor(Date.now() / 1000) }),
        authenticator: memoryAuthenticator(people),
      }),
  }
}
