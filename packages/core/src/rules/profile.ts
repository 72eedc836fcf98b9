import { type Client, type ErrorCode, type Profile, type Refusal, type Settings, refuse } from "../model/index.ts"
import { defaultProfile, profileNamed } from "../profiles/index.ts"
import type { Tracing } from "./rule.ts"

/**
 * Returns the profile that applies to a client: its own, or the provider's. Registration refuses unknown names. A client that has one
 * anyway, for example from another version, must not be served by weaker rules.
 */
export const profileOf = ({ profile }: Pick<Client, "profile">, settings: Pick<Settings, "profile">): Profile => {
  if (profile === undefined) return settings.profile
  const named = profileNamed(profile)
  if (named === undefined) throw new Error(`a client is held to the profile ${JSON.stringify(profile)}, and there is none of that name`)
  return named
}

/** Returns the profile that applies to metadata; the default one if it names an unknown one, which a registration rule refuses. */
export const registeredProfile = (profile: string | undefined, provider: { readonly profile?: string | undefined }): Profile =>
  profileNamed(profile ?? provider.profile ?? defaultProfile.name) ?? defaultProfile

/** Refuses a parameter that the client's metadata allows but its profile does not. */
export const refusedByProfile = ({ name }: Profile, parameter: string): Refusal =>
  refuse("unauthorized_client", `The client's profile refuses this ${parameter}.`, `the client is held to the profile ${name}`)

/** Refuses a value that the client's metadata allows but its profile lists as refused. Undefined if the profile accepts it. */
export const valueRefused = (
  { client, settings }: { readonly client: Client; readonly settings: Settings },
  list: "refusedResponseTypes" | "refusedGrantTypes",
  parameter: string,
  value: string,
): Refusal | undefined => {
  const profile = profileOf(client, settings)
  return profile.parameters[list].includes(value) ? refusedByProfile(profile, parameter) : undefined
}

/** Reports whether a profile parameter allows a value; `by-client` allows all. */
export const allows = (listed: "by-client" | ReadonlyArray<string>, value: unknown): boolean =>
  listed === "by-client" || listed.some((each) => each === value)

/** Lists the signing algorithms that a profile accepts, for the operator. */
export const algorithmsOf = ({ parameters }: Profile): string => [parameters.algorithms].flat().join(", ")

/** Tells the operator which signing algorithms a client's profile accepts. */
export const otherAlgorithms = (profile: Profile): string =>
  `the client is held to the profile ${profile.name}: register one of ${algorithmsOf(profile)}`

/**
 * Refuses a signing algorithm of a client that its profile does not accept, because its row may be older than its profile. Undefined if the
 * profile accepts all of them.
 */
export const algorithmRefused = (
  profile: Profile,
  algorithms: ReadonlyArray<string | undefined>,
  error: ErrorCode = "unauthorized_client",
): Refusal | undefined => {
  const refused = algorithms.find((alg) => alg !== undefined && !allows(profile.parameters.algorithms, alg))
  return refused === undefined
    ? undefined
    : refuse(error, "The client may not have its answer signed by this algorithm.", `${refused}, and ${otherAlgorithms(profile)}`)
}

/** Disables the rules that a profile turns off, from here on. */
export const holdTo = ({ off }: Profile, trace: Tracing): void => {
  if (off.size > 0) trace.off = new Set([...trace.off, ...off])
}
