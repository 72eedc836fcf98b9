import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { nodeDigest, nodeEntropy, toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import { compose, createProvider, rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { deliverable } from "../misbehave/delivery.ts"
import { anybodyOn } from "./anybody.ts"
import { anybodyDesign } from "./anybodyPage.ts"
import { clientsOf } from "./clients.ts"
import { testClock } from "./clock.ts"
import { controlled } from "./control.ts"
import { noFaults, openFaults } from "./faults.ts"
import { testKeys } from "./keys.ts"
import { minted } from "./mint.ts"
import { demandMinting, demandQueued, demandSignIn, demandStart, demandSubject } from "./options.ts"
import { alice, peopleOf } from "./people.ts"
import { type SignInPlace, authorized, signedIn } from "./signIn.ts"
import type { StartOptions, TestProvider } from "./testProvider.ts"
import { trafficOf } from "./traffic.ts"

const listening = async (server: Server, port: number, host: string): Promise<string> => {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, resolve)
  })
  const { port: taken } = server.address() as AddressInfo
  // A wildcard address is not a valid destination.
  const named = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host
  return `http://${named}:${taken}`
}

const stopped = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Sets the Date header of every response from a clock, including those of assets and those without an endpoint (RFC 9110 §6.6.1). */
const dated =
  (listener: (request: IncomingMessage, response: ServerResponse) => void, millis: () => number) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    response.setHeader("date", new Date(millis()).toUTCString())
    listener(request, response)
  }

/**
 * Starts a provider on a port of 127.0.0.1, in this process and without files. It is our own provider with all its rules, with stores in
 * memory and a clock that can be changed. Rejects with `ClientRefused` for a client that registration would refuse, and with the system's
 * error if the port is in use.
 */
export const startPostern = async (options: StartOptions = {}): Promise<TestProvider> => {
  demandStart(options)
  const {
    anyUser = false,
    people: given = anyUser ? [] : [alice],
    clients: registered = [{}],
    at,
    port = 0,
    host = "127.0.0.1",
    control = false,
    provider: more = {},
    faults,
    misbehave,
  } = options
  const clock = testClock(at)
  const server = createServer()
  try {
    const keys = testKeys(clock.now)
    const address = await listening(server, port, host)
    const issuer = options.issuer ?? address
    // Applications under test run on this machine, whatever the issuer is.
    const clients = clientsOf(registered, { ...more, issuer: address })
    const people = peopleOf(given, anyUser)
    const composition = compose(more)
    const endpoints = composition.features.flatMap((feature) => feature.endpoints?.(composition) ?? [])
    const traffic = trafficOf(clock.millis, new Map(endpoints.map(({ name, audience }) => [name, audience])))
    const pages = liquidPages({ name: "Postern for tests", ...(anyUser ? { pages: [anybodyDesign] } : {}) })
    const anybody = anyUser ? anybodyOn(issuer, pages, people) : undefined
    const provider = createProvider({
      ...more,
      issuer,
      clients: clients.store,
      tokens: memoryTokenStore(rowKindsOf(more)),
      signer: keys.signer,
      authenticator: people.authenticator,
      pages: anybody?.pages ?? pages,
      trails: traffic.trails,
      limiter: options.limiter,
      entropy: nodeEntropy,
      digest: nodeDigest,
      clock: clock.millis,
    })
    const faultPlace = { issuer, known: clients.known, registered, keys: keys.list, now: clock.now }
    if (faults !== undefined || misbehave !== undefined) await keys.ready
    const faulty = faults === undefined && misbehave === undefined ? noFaults : await openFaults({ ...misbehave, faults }, faultPlace)
    const asked = anybody === undefined ? provider : anybody.asked(provider)
    const answering = toNodeHandler(traffic.noted(faulty.wrapped(asked)), { assets: pages.assets })
    const place: SignInPlace = {
      issuer,
      address,
      clients: clients.known,
      people,
      now: clock.now,
      trail: (id) => traffic.requests().findLast(({ trail }) => trail?.requestId === id)?.trail,
    }
    const stop = () => stopped(server)
    const op: TestProvider = {
      issuer,
      clients: clients.known,
      now: clock.now,
      freeze: clock.freeze,
      thaw: clock.thaw,
      isFrozen: clock.isFrozen,
      advance: async (by) => {
        clock.advance(by)
        await keys.tend()
      },
      signIn: async (asked = {}) => {
        demandSignIn(asked)
        return signedIn(asked, place)
      },
      authorize: async (url, person = {}) => {
        demandSubject(person)
        return (await authorized(String(url), person, place)).back
      },
      mint: async (token = {}) => {
        demandMinting(token)
        return minted(token, { issuer, signer: keys.signer, now: clock.now() })
      },
      queue: (answer) => {
        demandQueued(answer)
        traffic.queue(answer)
      },
      requests: traffic.requests,
      rotateKeys: ({ forget = false } = {}) => keys.rotate(forget),
      faults: faulty.verdicts,
      stop,
      [Symbol.asyncDispose]: stop,
    }
    const listener = faulty.listening(deliverable(answering))
    server.on("request", dated(control ? controlled(listener, () => op) : listener, clock.millis))
    return op
  } catch (error) {
    await stopped(server)
    throw error
  }
}
