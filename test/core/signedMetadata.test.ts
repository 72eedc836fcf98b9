import { describe, expect, test } from "vitest"
import { claimsOf, headerOf } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type World, type WorldOptions, beginning, issuer, world } from "../support/world.ts"

const places = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]

const signing = (options: WorldOptions = {}): Promise<World> => world({ ...options, more: { settings: { signed_metadata: true } } })

const askedOf = async (w: World, path = places[0] ?? "") => said(await w.send({ path })).json ?? {}

describe("signed metadata of the provider (RFC 8414 §2.1)", () => {
  test.each(places)("%s has its own members as a JWT of the issuer, and not the JWT in itself", async (path) => {
    const w = await signing()
    const { signed_metadata: jwt, ...plain } = await askedOf(w, path)
    const header = headerOf(String(jwt))
    expect(header).toMatchObject({ alg: "RS256", typ: "oauth-authorization-server+jwt", kid: expect.any(String) })
    expect(claimsOf(String(jwt))).toEqual({ ...plain, iss: issuer, iat: beginning })
    expect(await w.signer.verify(String(jwt), "oauth-authorization-server+jwt")).toMatchObject({ iss: issuer })
    expect(await w.signer.verify(String(jwt), "at+jwt"), "RFC 8725 §3.11").toBeUndefined()
  })

  test("by default it is not there, nor where nothing can be signed now", async () => {
    expect((await askedOf(await world()))["signed_metadata"]).toBeUndefined()
    const mute = await signing({ signer: (signer) => ({ ...signer, algorithms: () => [] }) })
    const document = await askedOf(mute)
    expect([document["signed_metadata"], document["issuer"]]).toEqual([undefined, issuer])
  })

  test("whoever asks again and again has nothing signed anew within five minutes, and then once", async () => {
    let signatures = 0
    const signer: WorldOptions["signer"] = (plain) => ({ ...plain, sign: (unsigned) => (signatures++, plain.sign(unsigned)) })
    const w = await signing({ signer })
    const first = (await askedOf(w))["signed_metadata"]
    w.pass(299)
    expect([(await askedOf(w))["signed_metadata"], signatures]).toEqual([first, 1])
    w.pass(1)
    expect(claimsOf(String((await askedOf(w))["signed_metadata"]))["iat"]).toBe(beginning + 300)
    expect(signatures).toBe(2)
  })
})
