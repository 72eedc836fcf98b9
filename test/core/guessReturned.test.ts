import { memoryTokenStore } from "@postern/core/memory"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, test } from "vitest"
import { quickSigner, quickWorld } from "../properties/quickWorld.ts"
import { post, signIn, signedIn } from "../support/flows.ts"
import { type World, password } from "../support/world.ts"

/** Failure at the end of a request: the result of the commit of its changes, or a failed signature. */
const failures = {
  "a commit that fails": () => {
    throw new Error("the disk is full")
  },
  "conflicts in a row": () => "Conflict" as const,
  "a signer that fails": "signing",
} as const

/** A world whose requests fail at their end for as long as it is told so; tries are counted all the same. */
const failing = (failure: (typeof failures)[keyof typeof failures]) => {
  const state = { fails: false }
  const store = memoryTokenStore()
  const isEnd = new Set(["SaveSession", "SaveGrant", "DenyDevice"])
  const tokens: TokenStorePort = {
    ...store,
    commit: (commands) =>
      state.fails && failure !== "signing" && commands.some(({ event }) => isEnd.has(event)) ? failure() : store.commit(commands),
  }
  const sign: typeof quickSigner.sign = (claims) => {
    if (state.fails && failure === "signing") throw new Error("the key is gone")
    return quickSigner.sign(claims)
  }
  return { state, w: quickWorld({ tokens, signer: { ...quickSigner, sign } }) }
}

const passwordGrant = (w: World) =>
  post(w, "/connect/token", "ropc", { grant_type: "password", username: "alice", password, scope: "openid" })

const ways: Readonly<Record<string, (w: World) => Promise<() => Promise<number>>>> = {
  "a password on the sign-in page": async (w) => async () => (await signIn(w.visitor())).status,
  "a password at the token endpoint": async (w) => async () => (await passwordGrant(w)).status,
  "a user code": async (w) => {
    const visitor = await signedIn(w)
    const { json } = await post(w, "/connect/deviceauthorization", "tv", {})
    const { page } = await visitor.get("/device", { user_code: String(json?.["user_code"]) })
    return async () => (await visitor.submit(page, [["decision", "deny"]])).status
  },
}

describe.each(Object.entries(failures))("a right guess and %s (NIST SP 800-63B §3.2.2)", (name, failure) => {
  test.each(Object.entries(ways).filter(([way]) => name !== "a signer that fails" || way.includes("token endpoint")))(
    "%s: the try is given back, however often",
    async (_, begin) => {
      const { w, state } = failing(failure)
      const guess = await begin(w)
      state.fails = true
      // More than any budget has.
      for (let count = 0; count < 60; count++) expect([500, 503]).toContain(await guess())
      state.fails = false
      expect([200, 303]).toContain(await guess())
    },
  )
})
