import { nodeOutbound } from "@postern/adapter-http"
import { defaultFeatures, metadataDocuments } from "@postern/core"
import { memoryClientStore } from "@postern/core/memory"
import { type JsonObject, parseJsonObject } from "@postern/core/model"
import type { OutboundPort } from "@postern/core/ports"
import { registeredClient } from "@postern/core/registered"
import * as Redacted from "effect/Redacted"
import type { Setup } from "../config/setup.ts"
import { type TrialProvider, memoryProvider, trialProvider } from "../registration/trial.ts"
import { namedClients } from "./clients.ts"
import { type Server, placesOf } from "./server.ts"

/** Serves the known documents from memory and fetches all others. */
const webOf = (documents: ReadonlyArray<JsonObject & { readonly client_id: string }>, others: OutboundPort): OutboundPort => {
  const known = new Map(documents.map((document) => [document.client_id, document]))
  return {
    ...others,
    fetch: (url, accept, limits) => {
      const document = known.get(url)
      if (document === undefined) return others.fetch(url, accept, limits)
      return { _tag: "Fetched", status: 200, contentType: "application/json", body: JSON.stringify(document) }
    },
  }
}

/** Wraps an in-memory provider as a server to check. Each refusal names its rule. */
const serverAt = async (
  issuer: string,
  { provider, trails }: TrialProvider,
  asked: Pick<Server, "identifier" | "scope">,
): Promise<Server> => {
  const ask: Server["ask"] = async (method, url, body) => {
    const before = trails.length
    const init = body === undefined ? {} : { body: body.text, headers: { "content-type": body.type } }
    const answer = await provider.fetch(new Request(url, { method, ...init }))
    const refusals =
      trails
        .slice(before)
        .at(-1)
        ?.steps.flatMap(({ refused: each }) => each ?? []) ?? []
    // For an unknown client, the provider first tries to fetch its document. The rule that refused the document is more informative.
    const refused = refusals.find(({ rule }) => /^(?:document|registration|register)\./.test(rule)) ?? refusals.at(-1)
    return {
      status: answer.status,
      location: answer.headers.get("location") ?? undefined,
      body: await answer.text(),
      requestId: undefined,
      refused: refused && { rule: refused.rule, cites: refused.cites, reason: refused.reason },
    }
  }
  const looked = await Promise.all(
    placesOf(issuer).map(async (url) => {
      const { status, body } = await ask("GET", url)
      return { url, found: status === 200 ? parseJsonObject(body) : undefined }
    }),
  )
  const metadata = looked.find(({ found }) => found !== undefined)?.found ?? {}
  return { issuer, looked, metadata, barred: {}, resource: undefined, ...asked, registers: true, ask }
}

/** Creates the authorization server of a setup in memory. It applies the setup's rules and stores nothing. */
export const serverOf = async (setup: Setup, resource: string | undefined): Promise<Server> => {
  const clients = Redacted.value(setup.clients).map((metadata) => registeredClient(metadata, setup.lifetimes))
  const documents = namedClients.flatMap(({ document }) => document ?? [])
  const outbound = webOf(documents, nodeOutbound({ loopback: setup.development }))
  const trial = await trialProvider(setup, { clients: memoryClientStore(clients), outbound })
  const named = setup.catalog.resources.find(({ identifier }) =>
    resource === undefined ? URL.canParse(identifier) : identifier === resource,
  )
  const scope = [...(named?.scopes.map(({ name }) => name) ?? []), "offline_access"].join(" ")
  return serverAt(setup.issuer, trial, { identifier: resource ?? named?.identifier, scope })
}

const nothing: OutboundPort = { fetch: () => ({ _tag: "Unfetched", reason: "nothing is fetched for this trial" }) }

/**
 * Creates an in-memory provider on loopback with the profile mcp, which knows a single document. It is used to check development documents.
 */
export const developmentServer = async (document: JsonObject & { readonly client_id: string }): Promise<Server> => {
  const issuer = "http://127.0.0.1"
  const features = [...defaultFeatures, metadataDocuments()]
  const trial = await memoryProvider({ issuer, features, profile: "mcp", outbound: webOf([document], nothing) })
  return serverAt(issuer, trial, { identifier: undefined, scope: "openid" })
}
