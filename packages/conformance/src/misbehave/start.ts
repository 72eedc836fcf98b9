import { toNodeHandler } from "@postern/adapter-http/node"
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "@postern/core/options"
import type { Report } from "../run/result.ts"
import { openBoard } from "./board.ts"
import { deliverable } from "./delivery.ts"
import { madeKeys } from "./forge.ts"
import { isOurs, notOurs } from "./host.ts"
import { type Score, control } from "./ledger.ts"
import type { MisbehavingProvider } from "./misbehaving.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { type Crossing, type TriedClient, openSite } from "./site.ts"
import { type Faulty, openWiring } from "./wiring.ts"

/** Options of a misbehaving provider. */
export interface MisbehavingOptions extends Faulty {
  /** The port on 127.0.0.1; a free one by default. */
  readonly port?: number | undefined
  readonly clients: ReadonlyArray<TriedClient>
  /** The person who can sign in; `alice` with the password `alice` by default. */
  readonly person?: { readonly username: string; readonly password: string } | undefined
  /** The authorization servers that clients get ID-JAGs for; none by default. */
  readonly crossing?: Crossing | undefined
  /** A certificate and its key in PEM, for an https issuer; plain HTTP by default. The fault of an endpoint without TLS needs it. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly host?: string | undefined } | undefined
}

const kinds: MemberKinds<MisbehavingOptions> = {
  port: "number?",
  clients: "objects",
  person: "object?",
  crossing: "object?",
  tls: "object?",
  faults: "texts?",
  byClient: "object?",
  seed: "number?",
  script: "objects?",
  patience: "number?",
}

/** Throws for options that cannot be what was meant. A test that misspells one would try its client against the default. */
const refuse = (options: MisbehavingOptions): void => {
  refuseFaults("startMisbehaving", memberFaults(options, kinds))
  const { person, crossing, tls } = options
  refuseFaults(
    "startMisbehaving",
    person && memberFaults(person, { username: "text", password: "text" }, "person."),
    crossing && partFaults("crossing", crossing, { audiences: "texts" }),
    tls && memberFaults(tls, { cert: "text", key: "text", host: "text?" }, "tls."),
  )
}

/** A running misbehaving provider. */
export interface Misbehaving {
  /**
   * The issuer that behaves correctly by default. `acr_values=fault:ID` and the header `Postern-Fault: ID` select a fault for a sign-in.
   */
  readonly issuer: string
  /** The issuer with this fault for every request; `none` selects the correct one. */
  readonly issuerOf: (id: string) => string
  /** The address of the scoreboard. */
  readonly scoreboard: string
  /** The seed of the preset `chaos`; undefined without it. */
  readonly seed: number | undefined
  /** Every misbehavior that it offers. */
  readonly offered: ReadonlyArray<Misbehavior>
  /** Records the outcome of a sign-in at the client: whether the person is signed in there. Throws `UnknownFault`. */
  readonly told: (id: string, client: string, signedIn: boolean) => void
  /**
   * Sends a client wrong logout tokens, then a correct one. Rejects with `CannotSignOut` if the client has no address for them or nobody
   * has signed in.
   */
  readonly signOut: (client: string) => Promise<void>
  /** The verdicts on each client. */
  readonly scores: () => ReadonlyArray<Score>
  /** The verdicts as a report, for the formats of `@postern/conformance`. */
  readonly report: () => Report
  /** Stops it. */
  readonly stop: () => Promise<void>
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** The path of an issuer with one fault, and the paths of its metadata and its resource's metadata (RFC 8414 §3.1, RFC 9728 §3.1). */
const prefixed = /^(?:\/\.well-known\/oauth-(?:authorization-server|protected-resource))?\/f\/([\w.-]+)(?=\/|$|\?)/

/**
 * Starts a provider that behaves correctly except for the selected faults. It keeps everything in memory and listens on 127.0.0.1. It is
 * only for tests of clients. Rejects with `UnknownFault` for an unknown id, with `ScriptRefused` for an invalid script, and with the error
 * of `defineClient` for an invalid client.
 */
export const startMisbehaving = async (options: MisbehavingOptions): Promise<Misbehaving> => {
  refuse(options)
  const { tls, port = 0 } = options
  const now = (): number => Math.floor(Date.now() / 1000)
  const keys = await madeKeys(now())
  const wiring = await openWiring(options, { keys: () => keys, now, clients: options.clients.map(known) })
  let answer: Listener = (_, response) => void response.writeHead(503).end()
  const listener: Listener = (request, response) => answer(request, response)
  const server = tls === undefined ? createServer(listener) : createTlsServer({ cert: tls.cert, key: tls.key }, listener)
  // A plain HTTP listener beside an https issuer, for the endpoint that a client must not use.
  const unsafe = tls === undefined ? undefined : createServer(listener)
  const stop = async (): Promise<void> => void (await Promise.all([server, ...(unsafe === undefined ? [] : [unsafe])].map(closed)))
  try {
    const bound = await listen(server, port)
    const origin = tls === undefined ? `http://127.0.0.1:${bound}` : `https://${tls.host ?? "localhost"}:${bound}`
    const plainOrigin = unsafe === undefined ? undefined : `http://127.0.0.1:${await listen(unsafe, 0)}`
    const site = openSite(origin, keys, options)
    const board = openBoard(wiring, options.clients)
    const issuerOf = (id: string): string => `${origin}/f/${id}`
    const make = (issuer: string, always?: { readonly misbehavior: Misbehavior | undefined }): Listener => {
      // The provider is created before its notices are connected.
      let post: MisbehavingProvider["post"] = () => ({ _tag: "Unfetched", reason: "the provider is not open yet" })
      const provider = site.provider(issuer, (...sent) => post(...sent))
      const other = issuer === origin ? issuerOf(control) : origin
      const plain = plainOrigin === undefined ? undefined : `${plainOrigin}${new URL(issuer).pathname.replace(/\/$/, "")}/planted`
      const wrapped = wiring.wrap(provider, { issuer, other, plain }, always)
      post = wrapped.post
      return toNodeHandler({ ...provider, handle: wrapped.handle }, { assets: site.assets })
    }
    const main = make(origin)
    const others = new Map<string, Listener>()
    answer = deliverable((request, response) => {
      if (!isOurs(request.headers.host, origin))
        return void response.writeHead(421, { "content-type": "text/plain; charset=utf-8" }).end(`${notOurs}\n`)
      if (board(request, response)) return
      const id = prefixed.exec(request.url ?? "/")?.[1]
      const misbehavior = wiring.offered.find((each) => each.id === id)
      if (id === undefined) return main(request, response)
      if (misbehavior === undefined && id !== control)
        return void response.writeHead(404, { "content-type": "text/plain" }).end("no such fault\n")
      const other = others.get(id) ?? make(issuerOf(id), { misbehavior })
      others.set(id, other)
      return other(request, response)
    })
    const { seed, offered, told, signOut, scores, report } = wiring
    return { issuer: origin, issuerOf, scoreboard: `${origin}/`, seed, offered, told, signOut, scores, report, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const known = ({ client_id, redirect_uris = [], post_logout_redirect_uris, backchannel_logout_uri }: TriedClient) => ({
  client_id,
  redirect_uris,
  post_logout_redirect_uris,
  backchannel_logout_uri,
})
