import { ciba, defaultFeatures, deliveriesOf, signOutEverywhere } from "@postern/core"
import { defaultKeyPolicy, joseJwts } from "@postern/core/jose"
import { maintain } from "@postern/core/maintain"
import { memorySigningKeyStore } from "@postern/core/memory"
import { type OutboxMessage, outbox } from "@postern/core/model"
import { defaultPortTimeout, type TimerPort } from "@postern/core/ports"
import { describe, expect, test } from "vitest"
import { accountKey, ask, asking } from "../support/asking.ts"
import { clientKey } from "../support/clientKeys.ts"
import { authorize, request, signedIn } from "../support/flows.ts"
import { answering } from "../support/logouts.ts"
import { issuer, type World, world } from "../support/world.ts"

const silence = new Promise<never>(() => undefined)

let isSilenced = false

/** A timer that rings a moment later for a call that keeps silent, and never for any other, however slow the machine is. */
const impatient: TimerPort = {
  start: (_, ring) => {
    if (!isSilenced) return () => undefined
    isSilenced = false
    const over = setTimeout(ring, 5)
    return () => clearTimeout(over)
  },
}

/** A port that notes each operation that is asked of it, and keeps silent about one. */
const noting = <Port extends object>(name: string, port: Port, met: Set<string>, silent?: string): Port =>
  new Proxy(port, {
    get: (of, operation) => {
      const member: unknown = Reflect.get(of, operation)
      if (typeof member !== "function") return member
      const called = `${name}.${String(operation)}`
      return (...args: ReadonlyArray<unknown>) => {
        met.add(called)
        isSilenced = called === silent
        return isSilenced ? silence : (member as (...given: ReadonlyArray<unknown>) => unknown).call(of, ...args)
      }
    },
  })

const inTime = async <A>(what: string, ended: Promise<A>): Promise<A> => {
  let over: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => (over = setTimeout(() => reject(new Error(`${what} never ends`)), 10_000)))
  return Promise.race([ended, late]).finally(() => clearTimeout(over))
}

const key = await clientKey("ECDH-ES", "first")
const settings = { backchannel_logout_on_expiry: true }
const features = [...defaultFeatures, ciba()]

/** A world in which messages of each kind wait: of a sign-out, of a session that has run out, and of a request that nobody answered. */
const waiting = async (): Promise<{ readonly w: World; readonly messages: ReadonlyArray<OutboxMessage> }> => {
  const options = asking()
  const told = { backchannel_logout_uri: "https://app.example/out", id_token_encrypted_response_alg: "ECDH-ES" as const }
  const clients = (options.clients ?? []).map((each) =>
    each.client_id === "web" ? { ...each, ...told, jwks_uri: "https://app.example/jwks" } : each,
  )
  const w = await world({ clients, more: { features, accountKey, settings } })
  const [leaves, stays] = [await signedIn(w), await signedIn(w)]
  for (const visitor of [leaves, stays]) await authorize(visitor, "web", request("web", { scope: "openid" }))
  await leaves.submit((await leaves.get("/logout")).page)
  await ask(w, "pushed")
  w.pass(36_000)
  return { w, messages: await w.tokens.list(outbox, "due", { now: w.now() }) }
}

/** Makes one attempt at every message, with one operation of a port that never answers. */
const attempts = async (silent?: string) => {
  const { w, messages } = await waiting()
  const met = new Set<string>()
  const outbound = {
    fetch: () => ({ _tag: "Fetched", status: 200, contentType: undefined, body: JSON.stringify({ keys: [key.publicJwk] }) }) as const,
    post: () => answering(200),
  }
  const handlers = deliveriesOf(
    { features, settings },
    {
      issuer,
      clients: noting("ClientStore", { find: (id: string) => w.clients.get(id) }, met, silent),
      tokens: noting("TokenStore", w.tokens, met, silent),
      signer: noting("Signer", w.signer, met, silent),
      outbound: noting("Outbound", outbound, met, silent),
      jwts: noting("Jwts", joseJwts, met, silent),
      accountKey,
      timer: impatient,
      now: w.now,
    },
  )
  const outcomes = await Promise.allSettled(
    messages.map(async (message) => inTime(message.kind, handlers[message.kind]?.(message, new AbortController().signal) ?? silence)),
  )
  const failures = outcomes.flatMap((each) => (each.status === "rejected" ? [(each.reason as Error).message] : []))
  return { kinds: new Set(messages.map(({ kind }) => kind)), met, failures }
}

const operations = [
  "ClientStore.find",
  "Jwts.encrypt",
  "Outbound.fetch",
  "Outbound.post",
  "Signer.sign",
  "TokenStore.commit",
  "TokenStore.find",
  "TokenStore.findSession",
  "TokenStore.list",
  "TokenStore.sessionsOf",
]

describe("architecture law 7: whoever delivers messages waits for no port without end", () => {
  test("the deliveries of all features meet these ports", async () => {
    const { kinds, met, failures } = await attempts()
    expect([...kinds].toSorted()).toEqual(["back-channel-logout.session", "back-channel-logout.token", "ciba.expiry"])
    expect([...met].toSorted()).toEqual(operations)
    expect(failures).toEqual([])
  })

  test.each(operations)("a %s that never answers ends the attempt, and says so", async (operation) => {
    const { failures } = await attempts(operation)
    expect(new Set(failures)).toEqual(new Set([`${operation}: PortTimedOut: no answer after ${defaultPortTimeout} ms`]))
  })
})

describe("architecture law 7: whoever signs people out waits for no port without end", () => {
  const signOut = async (silent?: string, met = new Set<string>()) => {
    const { w } = await waiting()
    const ports = {
      clients: noting(
        "ClientStore",
        { find: (id: string) => w.clients.get(id), verifySecret: () => false, secretOf: () => undefined },
        met,
        silent,
      ),
      tokens: noting("TokenStore", w.tokens, met, silent),
      timer: impatient,
      clock: () => w.now() * 1000,
    }
    return inTime("the sign-out", signOutEverywhere({ issuer, features, settings }, ports, "sub-alice")).catch(
      (error: Error) => error.message,
    )
  }

  test("a sign-out meets these ports, and one of them that never answers ends it", async () => {
    const met = new Set<string>()
    expect(await signOut(undefined, met)).toBe(0)
    expect([...met].toSorted()).toEqual(["TokenStore.commit", "TokenStore.sessionsOf"])
    for (const operation of met)
      expect(await signOut(operation)).toBe(`${operation}: PortTimedOut: no answer after ${defaultPortTimeout} ms`)
  })
})

describe("architecture law 7: maintenance waits for no port without end", () => {
  const maintained = async (silent?: string) => {
    const met = new Set<string>()
    const { w } = await waiting()
    const keys = noting("SigningKeyStore", memorySigningKeyStore(), met, silent)
    const stores = noting("Stores", { sweep: () => ({ more: false }) }, met, silent)
    const done = await inTime(
      "the work",
      maintain({
        tokens: noting("TokenStore", w.tokens, met, silent),
        sweep: () => stores.sweep(),
        handlers: { "ciba.expiry": async () => undefined },
        keys: { store: keys, algorithms: ["ES256"], policy: defaultKeyPolicy, now: w.now },
        now: w.now,
        portTimeout: 500,
      }),
    )
    return { met, done }
  }

  test("one call meets these ports, and one of them that never answers is a fault of its part alone", async () => {
    const { met, done } = await maintained()
    expect([...met].toSorted()).toEqual([
      "SigningKeyStore.add",
      "SigningKeyStore.list",
      "Stores.sweep",
      "TokenStore.commit",
      "TokenStore.list",
    ])
    expect(done.faults).toEqual([])
    for (const operation of met) {
      const { faults } = (await maintained(operation)).done
      expect(faults.map(({ cause }) => (cause as Error).message)).toEqual([`${operation}: PortTimedOut: no answer after 500 ms`])
    }
  })
})
