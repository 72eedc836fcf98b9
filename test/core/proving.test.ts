import { expect, test } from "vitest"
import type { Client } from "@postern/core"
import { basic } from "../support/flows.ts"
import { world } from "../support/world.ts"

test("a client store whose client is broken takes no place among the guesses for good (RFC 6749 §2.3.1)", async () => {
  const w = await world()
  const whole = w.clients.get("web")
  if (whole === undefined) throw new Error("no such client")
  const ask = () =>
    w.send({
      method: "POST",
      path: "/connect/token",
      address: "192.0.2.1",
      body: "grant_type=client_credentials&scope=api.read",
      headers: { "content-type": "application/x-www-form-urlencoded", authorization: basic("web") },
    })
  // An embedder without types may forget a member.
  w.clients.set("web", { ...whole, authenticationMethods: undefined } as unknown as Client)
  for (let count = 0; count < 30; count++) expect((await ask()).status).toBe(500)
  w.clients.set("web", whole)
  expect((await ask()).status).toBe(200)
})
