import { type Profile, defaultProfile, profileNamed } from "@postern/core"
import type { ConfigFile } from "./schema.ts"

/** A client and the profile that it is held to. */
export interface ClientProfile {
  readonly client_id: string
  readonly profile: string
}

/** The profile of each declared client. */
export const clientProfiles = ({ clients = [], profile = defaultProfile.name }: ConfigFile): ReadonlyArray<ClientProfile> =>
  clients.map((client) => ({ client_id: client.client_id, profile: client.profile ?? profile }))

/** The demands of a profile in words; empty for the default one. */
const demandsOf = ({ parameters, off }: Profile): ReadonlyArray<string> => [
  ...(parameters.pkce === "all" ? ["every code needs PKCE"] : []),
  ...(parameters.plainPkce === "none" ? ["no challenge is plain"] : []),
  ...(parameters.refusedResponseTypes.length === 0 ? [] : [`no response type ${parameters.refusedResponseTypes.join(", ")}`]),
  ...(parameters.refusedGrantTypes.length === 0 ? [] : [`no grant type ${parameters.refusedGrantTypes.join(", ")}`]),
  ...(off.size === 0 ? [] : [`rules that are off: ${[...off].join(", ")}`]),
]

/** A line for each profile in use but the default one: its clients, and what it demands of them. */
export const profileLines = (config: ConfigFile): ReadonlyArray<string> => {
  const held = clientProfiles(config)
  return [...new Set(held.map(({ profile }) => profile))].flatMap((name) => {
    const profile = profileNamed(name)
    if (profile === undefined || name === defaultProfile.name) return []
    const clients = held.flatMap((each) => (each.profile === name ? [each.client_id] : []))
    return [`profile ${name} (${profile.cites}): ${clients.join(", ")}`, ...demandsOf(profile).map((demand) => `  ${demand}`)]
  })
}
