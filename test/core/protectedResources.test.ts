import type { ProviderOptions } from "@postern/core"
import { describe, expect, test } from "vitest"
import { issuersWorld } from "../support/issuers.ts"
import { claimsOf } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { type WorldOptions, beginning, resources as usual, world } from "../support/world.ts"

const at = "/.well-known/oauth-protected-resource"
const api = (identifier: string, more: object = {}) => ({ identifier, scopes: [], ...more })
const asked = async (resources: ReadonlyArray<ReturnType<typeof api>>, path: string, query = "", issuer?: string) => {
  const w = await world({ more: { resources }, ...(issuer === undefined ? {} : { issuer }) })
  const { status, json } = said(await w.send({ path, query }))
  return status === 200 ? json?.["resource"] : status
}

describe("the place of the metadata of a resource (RFC 9728 §3.1)", () => {
  const places: ReadonlyArray<readonly [identifier: string, path: string, query?: string]> = [
    ["https://api.example", at],
    ["https://api.example/", at],
    ["https://api.example/v1/notes", `${at}/v1/notes`],
    ["https://api.example/v1/", `${at}/v1/`],
    ["https://api.example/v1?tenant=a", `${at}/v1`, "tenant=a"],
    ["http://127.0.0.1:4200/mcp", `${at}/mcp`],
  ]
  test.for(places)("%s is described at %s", async ([identifier, path, query]) => {
    expect(await asked([api(identifier, { metadata: {} })], path, query)).toBe(identifier)
  })

  test.for([`${at}/v1/`, `${at}/V1`, `${at}/v1/other`, `${at}s/v1`, at])("another place is none: %s", async (path) => {
    expect(await asked([api("https://api.example/v1", { metadata: {} })], path)).toBe(404)
  })

  test("another query is another place", async () => {
    expect(await asked([api("https://api.example/v1?tenant=a", { metadata: {} })], `${at}/v1`, "tenant=b")).toBe(404)
  })

  test("it is at the root of the host where the issuer has a path, and not below that path", async () => {
    const issuer = "https://op.example/tenant"
    const resources = [api("https://op.example/tenant/mcp", { metadata: {} })]
    expect(await asked(resources, `${at}/tenant/mcp`, "", issuer)).toBe("https://op.example/tenant/mcp")
    expect(await asked(resources, `/tenant${at}/tenant/mcp`, "", issuer)).toBe(404)
  })

  test("of several issuers on one host the one whose path the resource's begins with answers", async () => {
    const of = (name: string) => ({
      issuer: `https://op.example/${name}`,
      resources: [api(`https://op.example/${name}/mcp`, { metadata: {} })],
    })
    const { providers } = await issuersWorld({ issuers: { one: of("one"), two: of("two") } })
    for (const name of ["one", "two"]) {
      const answer = await providers.fetch(new Request(`https://op.example${at}/${name}/mcp`))
      expect(await answer.json()).toMatchObject({
        resource: `https://op.example/${name}/mcp`,
        authorization_servers: [`https://op.example/${name}`],
      })
    }
    expect((await providers.fetch(new Request(`https://op.example${at}/three/mcp`))).status).toBe(404)
    expect(providers.endpointAt(`${at}/one/mcp`)).toMatchObject({ name: "protected-resource", countedAs: at })
  })
})

describe("the metadata of a resource (RFC 9728 §2)", () => {
  test("members of the declaration stand beside those that the provider knows, and in the place of those that it assumes", async () => {
    const metadata = {
      resource_name: "Mine",
      "resource_name#de": "Meins",
      bearer_methods_supported: ["header", "body"],
      dpop_bound_access_tokens_required: true,
    }
    const w = await world({ more: { resources: [api("https://api.example/mcp", { title: "Other", metadata })] } })
    expect(said(await w.send({ path: `${at}/mcp` })).json).toEqual({
      ...metadata,
      resource: "https://api.example/mcp",
      authorization_servers: ["https://op.example"],
    })
  })

  test("a resource without metadata is described nowhere", async () => {
    expect(await asked([api("https://api.example/mcp")], `${at}/mcp`)).toBe(404)
    expect(await asked([api("https://api.example/mcp", { listed: true })], `${at}/mcp`)).toBe(404)
  })
})

test("RFC 9728 §2.2: metadata are signed where their resource says so alone, and not at all by a provider that signs nothing now", async () => {
  const resources = [
    api("https://api.example/signed", { metadata: {}, signed: true }),
    api("https://api.example/plain", { metadata: {}, signed: false }),
  ]
  const signedAt = async (path: string, signer?: WorldOptions["signer"]) => {
    const w = await world({ more: { resources }, ...(signer === undefined ? {} : { signer }) })
    return typeof said(await w.send({ path: `${at}/${path}` })).json?.["signed_metadata"]
  }
  expect([await signedAt("signed"), await signedAt("plain")]).toEqual(["string", "undefined"])
  expect(await signedAt("signed", (signer) => ({ ...signer, algorithms: () => [] }))).toBe("undefined")
})

test("RFC 9728 §2.2: metadata are signed once for the five minutes that anybody may keep them, for each resource, and anew with other keys", async () => {
  const resources = ["one", "two"].map((name) => api(`https://api.example/${name}`, { metadata: {}, signed: true }))
  let [signatures, changed] = [0, false]
  const signer: WorldOptions["signer"] = (plain) => ({
    ...plain,
    sign: (unsigned) => {
      signatures++
      return plain.sign(unsigned)
    },
    keys: async () => (changed ? (await plain.keys()).slice(0) : plain.keys()),
  })
  const w = await world({ more: { resources }, signer })
  const ask = async (name: string) => String(said(await w.send({ path: `${at}/${name}` })).json?.["signed_metadata"])
  const first = await ask("one")
  w.pass(299)
  expect([await ask("one"), await ask("one"), signatures]).toEqual([first, first, 1])
  expect(claimsOf(await ask("two"))).toMatchObject({ resource: "https://api.example/two", iat: beginning + 299 })
  expect([await ask("one"), signatures]).toEqual([first, 2])
  w.pass(1)
  expect([claimsOf(await ask("one"))["iat"], signatures]).toEqual([beginning + 300, 3])
  changed = true
  await ask("one")
  expect(signatures).toBe(4)
})

test("RFC 9728 §4: protected_resources names the resources that are listed, and is left out where none is", async () => {
  const listed = async (resources: NonNullable<ProviderOptions["resources"]>) => {
    const w = await world({ more: { resources } })
    return said(await w.send({ path: "/.well-known/oauth-authorization-server" })).json?.["protected_resources"]
  }
  expect(await listed(usual)).toBeUndefined()
  expect(
    await listed([
      api("https://one.example", { metadata: {} }),
      api("https://two.example", { listed: true }),
      api("https://three.example/v3", { metadata: {}, listed: false }),
      api("https://four.example"),
    ]),
  ).toEqual(["https://one.example", "https://two.example"])
})

describe("resources that cannot have metadata", () => {
  const refusals: ReadonlyArray<readonly [string, ReadonlyArray<ReturnType<typeof api>>, string]> = [
    ["RFC 9728 §1.2: one that is no URL", [api("urn:example:api", { metadata: {} })], "resources[0].identifier: is no https URL"],
    [
      "RFC 9728 §1.2: one that is http elsewhere",
      [api("http://api.example", { listed: true })],
      "resources[0].identifier: is no https URL",
    ],
    ["RFC 9728 §1.2: one with a fragment", [api("https://api.example#a", { metadata: {} })], "resources[0].identifier: is no https URL"],
    ...["resource", "authorization_servers", "scopes_supported", "signed_metadata"].map(
      (name): readonly [string, ReadonlyArray<ReturnType<typeof api>>, string] => [
        `RFC 9728 §2: one that states ${name} itself`,
        [api("https://api.example", { metadata: { [name]: "x" } })],
        `resources[0].metadata.${name}: is not for the declaration to state`,
      ],
    ),
    [
      "RFC 9728 §2.2: one that is signed and not served",
      [api("https://api.example", { signed: true })],
      "resources[0].signed: is said of a resource whose metadata is not served here",
    ],
    [
      "RFC 9728 §3.1: two at one place",
      [api("https://one.example/", { metadata: {} }), api("https://two.example", { metadata: {} })],
      "resources[1].metadata: has its metadata at /.well-known/oauth-protected-resource, as https://one.example/ has",
    ],
  ]
  test.for(refusals)("%s", async ([, resources, fault]) => {
    await expect(world({ more: { resources } })).rejects.toThrow(fault)
  })
})
