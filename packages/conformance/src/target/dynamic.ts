import { type JWK, exportJWK, generateKeyPair } from "jose"
import { json, textOf } from "../exchange/exchange.ts"
import { ownDetailType, ownDetails } from "./details.ts"
import { type RoleClient, type RoleName, historicRoles, roleNames, roles, signingRoles } from "./roles.ts"
import type { Target } from "./target.ts"

/** Clients that were registered for a run, and their removal. */
export interface Registered {
  readonly clients: Readonly<Partial<Record<RoleName, RoleClient>>>
  /** Roles that the provider refused, each with the error. */
  readonly refused: ReadonlyArray<readonly [role: RoleName, error: string]>
  /** The number of clients that can be deleted. */
  readonly removable: number
  /** Deletes the registered clients (RFC 7592 §2.3), as far as the provider allows it. */
  readonly remove: () => Promise<void>
}

/**
 * Registers a client for each role that the target lacks, if its metadata has a registration_endpoint (RFC 7591 §3). A role with a profile
 * stays empty unless the response confirms the profile, because a provider ignores unknown members (RFC 7591 §2), and so does one whose
 * grant types the provider has reduced (RFC 7591 §3.2.1): its requests would be refused rightly.
 */
export const registerMissing = async (target: Target, metadata: Readonly<Record<string, unknown>>): Promise<Registered> => {
  const endpoint = metadata["registration_endpoint"]
  const missing =
    typeof endpoint === "string" && URL.canParse(endpoint)
      ? roleNames.filter((role) => target.clients[role] === undefined && !historicRoles.includes(role))
      : []
  const clients: Partial<Record<RoleName, RoleClient>> = {}
  const refused: Array<readonly [RoleName, string]> = []
  const removals: Array<() => Promise<unknown>> = []
  const own = missing.length === 0 ? undefined : await signingKey()
  const remove = async (): Promise<void> => void (await Promise.allSettled(removals.map((removal) => removal())))
  const register = async (role: RoleName): Promise<void> => {
    const key = signingRoles.includes(role) ? own : undefined
    const received = await target.send({
      method: "POST",
      url: textOf(endpoint),
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({
        client_name: `Conformance: ${role}`,
        ...roles[role],
        ...(key === undefined ? {} : { jwks: { keys: [published(key)] } }),
      }),
    })
    const answer = json(received)
    if (received.status !== 201 || textOf(answer?.["client_id"]) === "") {
      refused.push([role, `status ${received.status}, error ${textOf(answer?.["error"]) || "none"}`])
      return
    }
    const [url, token] = [textOf(answer?.["registration_client_uri"]), textOf(answer?.["registration_access_token"])]
    if (url !== "" && token !== "")
      removals.push(() => target.send({ method: "DELETE", url, headers: { authorization: `Bearer ${token}` } }))
    const asked: Readonly<Record<string, unknown>> = roles[role]
    const profile = textOf(asked["profile"])
    const lacking = missingGrants(asked["grant_types"], answer?.["grant_types"])
    if (profile !== "" && answer?.["profile"] !== profile) refused.push([role, `its profile ${profile} was ignored`])
    else if (lacking.length > 0) refused.push([role, `it may not use ${lacking.join(", ")}`])
    else clients[role] = clientOf(role, answer ?? {}, key)
  }
  try {
    for (const role of missing) await register(role)
  } catch (error) {
    await remove()
    throw error
  }
  return { clients, refused, removable: removals.length, remove }
}

/** The grant types that a client asked for and did not get. A response without the member says nothing about them. */
const missingGrants = (asked: unknown, given: unknown): ReadonlyArray<unknown> =>
  Array.isArray(asked) && Array.isArray(given) ? asked.filter((each) => !given.includes(each)) : []

const signingKey = async (): Promise<JWK> => {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: "conformance", alg: "ES256", use: "sig" }
}

const published = ({ d: _d, ...key }: JWK): JWK => key

/** The client as the provider registered it, which may differ from the request (RFC 7591 §3.2.1). */
const clientOf = (role: RoleName, answer: Readonly<Record<string, unknown>>, key: JWK | undefined): RoleClient => {
  const asked: Partial<RoleClient> = roles[role]
  const texts = (name: string, otherwise: ReadonlyArray<string> = []): ReadonlyArray<string> => {
    const value = answer[name]
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : otherwise
  }
  return {
    client_id: textOf(answer["client_id"]),
    client_secret: textOf(answer["client_secret"]) || undefined,
    token_endpoint_auth_method: textOf(answer["token_endpoint_auth_method"]) || (asked.token_endpoint_auth_method ?? "client_secret_basic"),
    redirect_uris: texts("redirect_uris", asked.redirect_uris),
    post_logout_redirect_uris: texts("post_logout_redirect_uris", asked.post_logout_redirect_uris),
    backchannel_client_notification_endpoint: asked.backchannel_client_notification_endpoint,
    authorization_details: texts("authorization_details_types").includes(ownDetailType) ? ownDetails : undefined,
    scope: textOf(answer["scope"]) || asked.scope,
    key: key === undefined ? undefined : { ...key },
  }
}
