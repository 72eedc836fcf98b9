import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { madeKeys, openForge } from "../../packages/conformance/src/misbehave/forge.ts"
import { Ledger } from "../../packages/conformance/src/misbehave/ledger.ts"
import { sendLogoutTokens } from "../../packages/conformance/src/misbehave/logouts.ts"
import { ofLogout } from "../../packages/conformance/src/misbehave/ofLogout.ts"
import { authorize, follow } from "../support/flows.ts"
import { comeBack, fakeProviders, withUpstreamLogout } from "../support/upstream.ts"
import { beginning, world } from "../support/world.ts"

/** Serves the logout tokens of a provider to a world over HTTP, as `postern misbehave` sends them. */
const served = async (send: (body: string) => Promise<number>): Promise<string> => {
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => void send(body).then((status) => response.writeHead(status).end()))
  })
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/login/upstream-logout/corp`
}

test("Back-Channel Logout §2.6: Postern as a client of a provider that misbehaves takes the right logout token, and no wrong one", async () => {
  const keys = await madeKeys(beginning)
  const forge = await openForge(beginning, () => keys)
  const providers = fakeProviders()
  const logoutKeys = () => ({
    issuer: "https://corp.example",
    clientId: "postern-there",
    algorithms: ["RS256", "ES256"],
    keys: { keys: keys.map(({ publicJwk }) => publicJwk) },
  })
  const w = await world(withUpstreamLogout({ more: { identityProviders: { ...providers, logoutKeys } } }))
  const visitor = w.visitor()
  const isIn = async () => (await authorize(visitor, "work", { prompt: "none" })).params["code"] !== undefined
  await follow(visitor, await comeBack(visitor, await authorize(visitor, "work", { acr_values: "idp:corp" }), { code: "ann~s1" }))
  const ended: Array<boolean> = []
  const uri = await served(async (body) => {
    const { status } = await w.send({
      method: "POST",
      path: "/login/upstream-logout/corp",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    })
    ended.push(!(await isIn()))
    return status
  })
  const header = { alg: "RS256", kid: forge.keyFor("RS256")?.kid }
  const claims = { iss: "https://corp.example", aud: "postern-there", sub: "ann", sid: "s1", iat: beginning, exp: beginning + 60 }
  const ledger = new Ledger()
  await sendLogoutTokens({
    client: { client_id: "postern", redirect_uris: [], backchannel_logout_uri: uri },
    idToken: await forge.sign(header, claims),
    offered: ofLogout,
    forge,
    ledger,
    now: w.now(),
  })
  const statuses = Object.fromEntries(
    ofLogout.flatMap(({ id }) =>
      ledger.of(id, "postern").map((seen) => [id.slice("logout.".length), "status" in seen ? seen.status : undefined]),
    ),
  )
  const { usual, "sid-unknown": unknown, "sub-other": other, ...wrong } = statuses
  // A session that nobody has here is over already: that is no fault of the token (§2.8).
  expect([usual, unknown, other]).toEqual([200, 200, 200])
  expect(new Set(Object.values(wrong))).toEqual(new Set([400]))
  expect(Object.keys(wrong)).toHaveLength(ofLogout.filter(({ transform }) => transform.logout !== undefined).length - 3)
  // The right one is sent after all others but its own repetition.
  expect(ended).toEqual([...ended.slice(0, -2).map(() => false), true, true])
})
