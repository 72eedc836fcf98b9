import { type Profile, defaultProfile, profileNamed } from "@postern/core"
import type { ConfigFile } from "./schema.ts"

/** A client and its profile. */
export interface ClientProfile {
  readonly client_id: string
  readonly profile: string
}

/** The profile of each declared client. */
export const clientProfiles = ({ clients = [], profile = defaultProfile.name }: ConfigFile): ReadonlyArray<ClientProfile> =>
  clients.map((client) => ({ client_id: client.client_id, profile: client.profile ?? profile }))

/** Describes the demands of a profile; empty for the default profile. */
export const demandsOf = ({ parameters, off }: Profile): ReadonlyArray<string> => [
  ...(parameters.pkce === "all" ? ["every code needs PKCE"] : []),
  ...(parameters.pkce === "pushed" ? ["the code of a pushed request needs PKCE"] : []),
  ...(parameters.plainPkce === "none" ? ["no challenge is plain"] : []),
  ...(parameters.refusedResponseTypes.length === 0 ? [] : [`no response type ${parameters.refusedResponseTypes.join(", ")}`]),
  ...(parameters.refusedGrantTypes.length === 0 ? [] : [`no grant type ${parameters.refusedGrantTypes.join(", ")}`]),
  ...(parameters.authMethods === "by-client" ? [] : [`client authentication by ${parameters.authMethods.join(", ")} alone`]),
  ...(parameters.assertionAudience === "issuer" ? ["assertions are made out to the issuer alone, as a text"] : []),
  ...(parameters.algorithms === "by-client" ? [] : [`signatures by ${parameters.algorithms.join(", ")} alone`]),
  ...(parameters.senderConstraint === "key-or-certificate" ? ["tokens are bound to a key (DPoP) or a certificate"] : []),
  ...(parameters.senderConstraint === "certificate" ? ["tokens are bound to a certificate"] : []),
  ...(parameters.rotation === "none" ? ["refresh tokens are not rotated"] : []),
  ...(parameters.longestCode === "by-client" ? [] : [`codes live for ${parameters.longestCode} at most`]),
  ...(parameters.pushing === "all" ? ["requests are pushed"] : []),
  ...(parameters.longestPushed === "by-client" ? [] : [`pushed requests live for ${parameters.longestPushed} at most`]),
  ...(parameters.signedRequests === "all" ? ["requests are signed"] : []),
  ...(parameters.signedLife === "by-client" ? [] : ["signed requests live for an hour at most"]),
  ...(parameters.details === "protected" ? ["authorization details are pushed or signed"] : []),
  ...(parameters.backchannelRequests === "by-client" ? [] : ["backchannel requests are signed, and have a binding message"]),
  ...(parameters.responses === "query-or-jwt" ? ["responses are a query or a JWT"] : []),
  ...(parameters.responses === "jwt" ? ["responses are JWTs"] : []),
  ...(parameters.responses === "jwt-or-id-token" ? ["responses are JWTs, or have an ID token"] : []),
  ...(off.size === 0 ? [] : [`rules that are off: ${[...off].join(", ")}`]),
]

/** Returns a line for each profile in use except the default one, with its clients and its demands. */
export const profileLines = (config: ConfigFile): ReadonlyArray<string> => {
  const held = clientProfiles(config)
  return [...new Set(held.map(({ profile }) => profile))].flatMap((name) => {
    const profile = profileNamed(name)
    if (profile === undefined || name === defaultProfile.name) return []
    const clients = held.flatMap((each) => (each.profile === name ? [each.client_id] : []))
    return [`profile ${name} (${profile.cites}): ${clients.join(", ")}`, ...demandsOf(profile).map((demand) => `  ${demand}`)]
  })
}
