import { createRemoteJWKSet, jwtVerify } from "jose"
import type { Actor } from "./actor.ts"
import { begin, redeem } from "./operations.ts"
import { pause } from "./process.ts"

/** Observations of a probe: the time of each answer, and those that were not 200. */
export interface Probe {
  readonly name: string
  readonly took: Array<number>
  readonly bad: Array<string>
}

/** Asks for some URLs over and over until it is stopped. */
export const probing = (
  urls: Readonly<Record<string, readonly [url: string, headers?: Readonly<Record<string, string>>]>>,
  every = 25,
): { readonly probes: ReadonlyArray<Probe>; readonly stop: () => Promise<void> } => {
  let going = true
  const runs = Object.entries(urls).map(([name, [url, headers = {}]]) => {
    const probe: Probe = { name, took: [], bad: [] }
    const run = async (): Promise<void> => {
      while (going) {
        const began = performance.now()
        try {
          const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) })
          await response.text()
          if (response.status !== 200) probe.bad.push(String(response.status))
        } catch (cause) {
          probe.bad.push(String(cause))
        }
        probe.took.push(performance.now() - began)
        await pause(every)
      }
    }
    return { probe, running: run() }
  })
  return {
    probes: runs.map(({ probe }) => probe),
    stop: async () => {
      going = false
      await Promise.all(runs.map(({ running }) => running))
    },
  }
}

/** Builds the requests that go on without a write: discovery, the key set, and userinfo with a JWT. */
export const readsOf = (base: string, jwt: string): Parameters<typeof probing>[0] => ({
  discovery: [`${base}/.well-known/openid-configuration`],
  jwks: [`${base}/.well-known/openid-configuration/jwks`],
  userinfo: [`${base}/connect/userinfo`, { authorization: `Bearer ${jwt}` }],
})

/** A JWT access token that nothing of the load will end, checked with the published keys. */
const standingJwt = async (actor: Actor, token: string): Promise<string> => {
  const keys = createRemoteJWKSet(new URL(`${actor.url()}/.well-known/openid-configuration/jwks`))
  await jwtVerify(token, keys, { issuer: actor.url() })
  return token
}

/** Somebody whom the load leaves alone, whose JWT works all along; and the others. */
export const setApart = async (actors: ReadonlyArray<Actor>): Promise<{ readonly jwt: string; readonly busy: ReadonlyArray<Actor> }> => {
  const holder = actors.find(({ client }) => client.format === "jwt") ?? actors[0]
  if (holder === undefined) throw new Error("nobody is here")
  const standing = await begin(holder)
  if (standing === undefined) throw new Error("no code")
  await redeem(holder, standing)
  holder.chains = []
  return { jwt: await standingJwt(holder, standing.access[0]?.value ?? ""), busy: actors.filter((actor) => actor !== holder) }
}
