import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { users } from "./people.ts"
import { Visitor } from "./visitor.ts"

describe("openid-client 6, the device flow against the running server", { timeout: 60_000 }, () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve({
      users,
      clients: [
        {
          client_id: "tv",
          client_name: "Television",
          token_endpoint_auth_method: "none",
          // The default of 5 s is asked for in test/cases/device.ts; here a test waits for each.
          device_polling_interval: 1,
          grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
          response_types: [],
          scope: "openid profile offline_access",
        },
      ],
    })
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  const television = () =>
    client.discovery(new URL(server.url), "tv", undefined, client.None(), { execute: [client.allowInsecureRequests] })

  test("RFC 8628 §3: polls at the interval while nobody has decided, and gets its tokens once the person allows it", async () => {
    const tv = await television()
    const device = await client.initiateDeviceAuthorization(tv, { scope: "openid profile offline_access" })
    expect(device).toMatchObject({ verification_uri: `${server.url}/device`, interval: 1 })
    expect(device.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)

    const answers: Array<string> = []
    tv[client.customFetch] = async (url, options) => {
      const response = await fetch(url, options as RequestInit)
      const { error = "tokens" } = (await response.clone().json()) as { readonly error?: string }
      answers.push(error)
      // The person decides only after the television has asked once in vain.
      if (error === "authorization_pending") await new Visitor().visit(device.verification_uri_complete ?? "")
      return response
    }
    const tokens = await client.pollDeviceAuthorizationGrant(tv, device)
    expect(answers).toEqual(["authorization_pending", "tokens"])

    const info = await client.fetchUserInfo(tv, tokens.access_token, tokens.claims()?.sub ?? "")
    expect(info).toMatchObject({ sub: "alice-1", name: "Alice Ant" })
    expect((await client.refreshTokenGrant(tv, tokens.refresh_token ?? "")).access_token).not.toBe(tokens.access_token)
  })

  test("RFC 8628 §3.5: what the person denies is access_denied", async () => {
    const tv = await television()
    const device = await client.initiateDeviceAuthorization(tv, { scope: "openid" })
    const { text } = await new Visitor().visit(device.verification_uri_complete ?? "", "deny")
    expect(text).toContain('id="device-denied"')
    await expect(client.pollDeviceAuthorizationGrant(tv, { ...device, interval: 0 })).rejects.toMatchObject({ error: "access_denied" })
  })
})
