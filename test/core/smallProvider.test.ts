import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import * as postern from "@postern/core/provider"
import { describe, expect, test } from "vitest"

const issuer = "https://op.example"
const now = (): number => Math.floor(Date.now() / 1000)

const open = async (
  features: ReadonlyArray<postern.AnyFeature>,
  more: Partial<postern.ProviderOptions> = {},
  members: Readonly<Record<string, boolean>> = {},
) => {
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
  return postern.createProvider({
    ...more,
    issuer,
    resources: [{ identifier: "https://api.example", scopes: [{ name: "api", required: false }] }],
    features,
    clients: memoryClientStore([client], { app: "secret" }),
    authenticator: memoryAuthenticator([]),
    tokens: memoryTokenStore(postern.rowKindsOf({ features })),
    signer: joseSigner({ keys: () => keys, now }),
    pages: { render: ({ _tag }) => _tag },
  })
}

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
})
