import { generateKey, joseJwsSigner, joseJwsVerifier, joseJwts, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import * as postern from "@postern/core/provider"
import { describe, expect, test } from "vitest"

const issuer = "https://op.example"
const now = (): number => Math.floor(Date.now() / 1000)

const ports = async (features: ReadonlyArray<postern.AnyFeature>, members: Readonly<Record<string, boolean>> = {}) => {
  const keys = [await generateKey("ES256", { createdAt: now(), activeAt: now() })]
  const client = postern.registeredClient(
    {
      client_id: "app",
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "api",
      access_token_signed_response_alg: "ES256",
      ...members,
    },
    postern.defaultLifetimes,
  )
  return {
    resources: [{ identifier: "https://api.example", scopes: [{ name: "api", required: false }] }],
    clients: memoryClientStore([client], { app: "secret" }),
    authenticator: memoryAuthenticator([]),
    tokens: memoryTokenStore(postern.rowKindsOf({ features })),
    signer: joseSigner({ keys: () => keys, now }),
    pages: { render: ({ _tag }: { readonly _tag: string }) => _tag },
  }
}

const open = async (
  features: ReadonlyArray<postern.AnyFeature>,
  more: Partial<postern.ProviderOptions & postern.ProviderPorts> = {},
  members: Readonly<Record<string, boolean>> = {},
) => postern.createProvider({ ...more, issuer, features, ...(await ports(features, members)) })

const { clientAuthentication, clientCredentials, discovery, interaction, jwks, token } = postern
const asked = async (provider: Awaited<ReturnType<typeof open>>): Promise<readonly [number, object]> => {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_id: "app", client_secret: "secret" })
  const answer = await provider.fetch(new Request(`${issuer}/connect/token`, { method: "POST", body }))
  return [answer.status, (await answer.json()) as object]
}

const programs = [discovery, jwks, token, clientAuthentication, clientCredentials]

describe("a provider of the features that it is given (architecture 10)", () => {
  test("it has these and no others: tokens by client credentials, no authorization endpoint, and discovery says so", async () => {
    const provider = await open(programs)
    expect(await asked(provider)).toEqual([200, expect.objectContaining({ token_type: "Bearer" })])
    const document = await (await provider.fetch(new Request(`${issuer}/.well-known/openid-configuration`))).json()
    expect(document).toMatchObject({ grant_types_supported: ["client_credentials"] })
    expect(document).not.toHaveProperty("authorization_endpoint")
    expect(provider.serves("/connect/authorize")).toBe(false)
  })

  test.each([
    ["RFC 9449 §5.2", "dpop_bound_access_tokens", [postern.mutualTls]],
    ["RFC 8705 §3.4", "tls_client_certificate_bound_access_tokens", [postern.dpop]],
  ])("%s: a client with %s gets no token that is not bound, whatever features there are", async (_, name, others) => {
    for (const features of [programs, [...programs, ...others], [...programs, postern.dpop, postern.mutualTls]])
      expect(await asked(await open(features, {}, { [name]: true }))).toEqual([400, expect.objectContaining({ error: "invalid_request" })])
    expect(await asked(await open(programs, {}, { [name]: false }))).toEqual([200, expect.objectContaining({ token_type: "Bearer" })])
  })

  test("without the feature interaction there is no way back from pages of one's own, and a route to them is a fault", async () => {
    const provider = await open(programs)
    await expect(provider.interaction(new Request(`${issuer}/sign-in?interaction=x`))).rejects.toThrow("give it `interaction`")
    await expect(provider.resume(new Request(`${issuer}/sign-in`), { csrf: "x", deny: true })).rejects.toThrow("give it `interaction`")
    await expect(open(programs, { interactions: { signIn: "/sign-in" } })).rejects.toThrow("interactions: no feature of the provider")
    const able = await open([...programs, interaction], { interactions: { signIn: "/sign-in" } })
    expect(await able.interaction(new Request(`${issuer}/sign-in?interaction=x`))).toMatchObject({ need: "refused" })
  })

  test("OpenID Connect Core §10.2: without jwts nothing is encrypted, and a feature whose clients may ask for it is a fault that says what to give", async () => {
    const fault = (name: string, member: string) =>
      `jwts: is missing: clients may have answers encrypted (${member} of ${name}); give joseJwts of @postern/core/jose`
    const able = [...programs, postern.idTokens, postern.jarm]
    await expect(open(able)).rejects.toThrow(fault("id-tokens", "id_token_encrypted_response_alg"))
    await expect(open(able)).rejects.toThrow(fault("jarm", "authorization_encrypted_response_alg"))
    await expect(open(able, { jwts: joseJwts })).resolves.toBeDefined()
    await expect(open(able, { jwts: joseJwsVerifier })).rejects.toThrow("jwts: is missing")
    const issuers = { one: { issuer, ...(await ports(able)) } }
    expect(() => postern.createProviders({ features: able, issuers })).toThrow("jwts: is missing")
    expect(() => postern.createProviders({ features: able, issuers, jwts: joseJwts })).not.toThrow()
    const choice = { alg: "RSA-OAEP-256", enc: "A256GCM" } as const
    expect(() => joseJwsVerifier.encrypt("text", "json", choice, { keys: [] })).toThrow("give the provider joseJwts")
  })

  test("RFC 9101 §6.1: the signer for small bundles signs, decrypts nothing, and publishes no key to encrypt to", async () => {
    const times = { createdAt: now(), activeAt: now() }
    const keys = [await generateKey("ES256", times), await generateKey("ECDH-ES", times)]
    const [small, whole] = [joseJwsSigner({ keys: () => keys, now }), joseSigner({ keys: () => keys, now })]
    const published = await whole.keys()
    const sealed = (await joseJwts.encrypt("a request", "JWT", { alg: "ECDH-ES", enc: "A256GCM" }, { keys: [...published] })) ?? ""
    expect([await whole.decrypt(sealed), await small.decrypt(sealed)]).toEqual(["a request", undefined])
    expect([(await small.keys()).map(({ alg }) => alg), await small.encryptionAlgorithms()]).toEqual([["ES256"], []])
    expect([published.length, await whole.encryptionAlgorithms()]).toEqual([2, ["ECDH-ES"]])
    const jwt = await small.sign({ alg: "ES256", typ: "JWT", claims: { sub: "1" } })
    expect([await whole.verify(jwt, "JWT"), await small.verify(jwt, "JWT")]).toEqual([{ sub: "1" }, { sub: "1" }])
  })
})
