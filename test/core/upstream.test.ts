import type { UpstreamAnswer, UpstreamRequest } from "@postern/core/ports"
import { expect, test } from "vitest"
import { authorize, follow } from "../support/flows.ts"
import { comeBack, fakeProviders, withUpstream } from "../support/upstream.ts"
import { world } from "../support/world.ts"

/** A world that remembers what its other providers were asked. */
const listening = async () => {
  const begun: Array<UpstreamRequest> = []
  const finished: Array<UpstreamAnswer> = []
  const providers = fakeProviders()
  const { more, ...options } = withUpstream()
  const w = await world({
    ...options,
    more: {
      ...more,
      identityProviders: {
        ...providers,
        begin: (request) => {
          begun.push(request)
          return providers.begin(request)
        },
        finish: (answer) => {
          finished.push(answer)
          return providers.finish(answer)
        },
      },
    },
  })
  return { w, begun, finished }
}

const secretsOf = ({ nonce, codeVerifier }: Pick<UpstreamRequest, "nonce" | "codeVerifier">) => ({ nonce, codeVerifier })
const corp = { acr_values: "idp:corp" }

test("OpenID Connect Core §3.1.2.1, RFC 9700 §4.7.1, §4.5.3: each sign-in there has a nonce and a verifier of its own, also in one browser", async () => {
  const { w, begun } = await listening()
  const visitor = w.visitor()
  for (let times = 0; times < 3; times++) await authorize(visitor, "work", corp)
  await authorize(w.visitor(), "work", corp)
  const made = begun.flatMap((each) => Object.values(secretsOf(each)))
  expect(made).toHaveLength(8)
  expect(new Set(made).size).toBe(8)
  for (const each of made) expect(each).toMatch(/^[A-Za-z0-9_-]{43}$/)
})

test("OpenID Connect Core §3.1.3.7 item 11, RFC 7636 §4.5: an answer is checked by the nonce and verifier of the state that it carries", async () => {
  const { w, begun, finished } = await listening()
  const visitor = w.visitor()
  const [first, second] = [await authorize(visitor, "work", corp), await authorize(visitor, "work", corp)]
  for (const away of [second, first]) expect((await follow(visitor, await comeBack(visitor, away))).params).toHaveProperty("code")
  expect(finished.map(secretsOf)).toEqual(begun.map(secretsOf).toReversed())
})
