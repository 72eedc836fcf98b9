import { type RequestListener, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TokenStorePort } from "@postern/core/ports"
import { expect } from "vitest"
import { type Users, interactions, ownServer } from "../../examples/ownPages.ts"
import { redeem, request } from "./flows.ts"
import { Surfer } from "./surfer.ts"
import { type World, password, world } from "./world.ts"

/** Serves a listener that is made for its own URL, on a free port of loopback. */
export const listening = async (listenerAt: (url: string) => Promise<RequestListener>) => {
  const held: { listener?: RequestListener } = {}
  const server = createServer((asked, response) => held.listener?.(asked, response))
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  held.listener = await listenerAt(url)
  return { url, stop: () => new Promise((closed) => (server.closeAllConnections(), server.close(closed))) }
}

const users: Users = {
  check: async (username, given) => (username === "alice" && given === password ? "sub-alice" : undefined),
  code: async (_, code) => code === "123456",
}

/** The example server with pages of its own, over a store. */
export const ownPagesOver = async (tokens?: TokenStorePort) => {
  const held: { w?: World } = {}
  const { url, stop } = await listening(async (issuer) => {
    held.w = await world({ issuer, ...(tokens === undefined ? {} : { tokens }), more: { interactions } })
    return ownServer(held.w.provider, users)
  })
  if (held.w === undefined) throw new Error("no world")
  return { w: held.w, url, stop }
}

/** Signs alice in on two pages of the example's own, and allows what a client asks for: over HTTP, to the tokens and to what a replay comes to. */
export const throughOwnPages = async (tokens: TokenStorePort): Promise<void> => {
  const { w, url, stop } = await ownPagesOver(tokens)
  try {
    const surfer = new Surfer()
    const asked = new URLSearchParams(request("asks", { scope: "openid email api.read" }))
    const signIn = await surfer.follow(`${url}/connect/authorize?${asked.toString()}`)
    expect(new URL(signIn.url).pathname).toBe("/sign-in")
    const first = await signIn.response.text()
    expect(first).toContain("Sign in to Asking App")
    const second = await surfer.submit(first, signIn.url, { username: "alice", password })
    const code = await second.response.text()
    expect(code).toContain("Your code")
    const consent = await surfer.submit(code, second.url, { code: "123456" })
    expect(new URL(consent.url).pathname).toBe("/allow")
    const asks = await consent.response.text()
    expect(asks).toContain("Asking App asks Alice Ant")
    const back = await surfer.submit(asks, consent.url, { decision: "allow" })
    expect(back.url).toMatch(/^https:\/\/app\.example\/cb\?code=/)
    const redeemed = await redeem(w, new URL(back.url).searchParams.get("code") ?? "", "asks")
    expect(redeemed.json).toMatchObject({ scope: "openid email api.read" })
    const [session] = await tokens.sessionsOf("sub-alice")
    expect(session).toMatchObject({ amr: ["pwd", "otp"], acr: "urn:example:two" })
    w.pass(60)
    const replayed = await surfer.submit(asks, consent.url, { decision: "allow" })
    expect(replayed.response.status).toBe(400)
    expect(w.trails.at(-1)?.steps.at(-1)?.refused?.rule).toBe("interaction.unfinished")
  } finally {
    await stop()
  }
}
