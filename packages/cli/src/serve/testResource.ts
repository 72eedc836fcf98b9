import { nodeJwts } from "@postern/adapter-http"
import type { Provider } from "@postern/core"
import type { Answer, Message } from "@postern/core/wire"
import { type ResourceServer, resourceServer } from "@postern/verify"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"

/** The path of the conformance test resource, relative to the issuer. */
const testResourcePath = "/conformance/resource"

/** The header that identifies open banking requests. The response repeats it (FAPI 1.0 Part 1 §6.2.1). */
const interactionHeader = "x-fapi-interaction-id"

/**
 * Creates the resource server for conformance tests. As FAPI 2.0 requires (Security Profile §5.3.4, §5.4.1), it accepts only
 * sender-constrained tokens, and none signed with RS256. It introspects each token, so that a revoked one is refused at once. Requests to
 * the provider stay in the process.
 */
const testResource = (setup: Setup, provider: Pick<Provider, "fetch">): ResourceServer | undefined => {
  const { issuer, testResourceClient: clientId, settings, clients } = setup
  if (clientId === undefined) return undefined
  const algorithms = ["ES256", "PS256", "EdDSA", "Ed25519"]
  const mutual = settings["mutual_tls_url"]
  const clientSecret = Redacted.value(clients).find((each) => each.client_id === clientId)?.client_secret
  return resourceServer({
    issuer,
    resource: issuer + testResourcePath,
    url: [issuer, ...(typeof mutual === "string" ? [mutual] : [])].map((each) => new URL(each).origin),
    algorithms,
    bound: "any",
    dpop: { algorithms },
    introspection: { clientId, clientSecret, always: true, cacheSeconds: 0 },
    fetch: (url, init) => provider.fetch(new Request(url, init)),
    jwts: nodeJwts,
  })
}

const answered = async (api: ResourceServer, message: Message): Promise<Answer> => {
  const { ok, refused, headers } = await api.verify(message)
  const interaction = message.headers[interactionHeader]
  const repeated = interaction === undefined || !/^[\x21-\x7e]{1,100}$/.test(interaction) ? [] : [[interactionHeader, interaction] as const]
  if (refused !== undefined) return { ...refused.answer, headers: [...refused.answer.headers, ...repeated] }
  const { subject, clientId, scope } = ok
  return {
    status: 200,
    headers: [["content-type", "application/json"], ["cache-control", "no-store"], ...headers, ...repeated],
    body: JSON.stringify({ sub: subject, client_id: clientId, scope: scope.join(" ") }),
  }
}

/** Adds the conformance test resource to a provider, if the configuration enables it. */
export const withTestResource = <Served extends Pick<Provider, "fetch" | "handle">>(setup: Setup, provider: Served): Served => {
  const api = testResource(setup, provider)
  if (api === undefined) return provider
  const path = new URL(setup.issuer).pathname.replace(/\/$/, "") + testResourcePath
  return {
    ...provider,
    handle: (message: Message) => (message.path === path ? answered(api, message) : (api.metadataFor(message) ?? provider.handle(message))),
  }
}
