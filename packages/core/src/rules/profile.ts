import { type Client, type ErrorCode, type Profile, type Refusal, type Settings, refuse } from "../model/index.ts"
import { defaultProfile, profileNamed } from "../profiles/index.ts"
import type { Tracing } from "./rule.ts"

/**
 * The profile that a client is held to: its own, or the provider's. Registration refuses a name that there is none for; a client that has one all
 * the same, from another version say, is not served by laxer rules.
 */
export const profileOf = ({ profile }: Pick<Client, "profile">, settings: Pick<Settings, "profile">): Profile => {
  if (profile === undefined) return settings.profile
  const named = profileNamed(profile)
  if (named === undefined) throw new Error(`a client is held to the profile ${JSON.stringify(profile)}, and there is none of that name`)
  return named
}

/** The profile that metadata would be held to; the default one where it names an unknown one, which a rule of registration refuses. */
export const registeredProfile = (profile: string | undefined, provider: { readonly profile?: string | undefined }): Profile =>
  profileNamed(profile ?? provider.profile ?? defaultProfile.name) ?? defaultProfile

/** Refuses what a client may have by its metadata and not by its profile. */
export const refusedByProfile = ({ name }: Profile, parameter: string): Refusal =>
  refuse("unauthorized_client", `The client's profile refuses this ${parameter}.`, `the client is held to the profile ${name}`)

/** Refuses a value that a client may have by its metadata, and that its profile lists among the refused ones. Undefined where the profile takes it. */
export const valueRefused = (
  { client, settings }: { readonly client: Client; readonly settings: Settings },
  list: "refusedResponseTypes" | "refusedGrantTypes",
  parameter: string,
  value: string,
): Refusal | undefined => {
  const profile = profileOf(client, settings)
  return profile.parameters[list].includes(value) ? refusedByProfile(profile, parameter) : undefined
}

/** Reports whether a parameter that lists values, or leaves them to the client, allows one. */
export const allows = (listed: "by-client" | ReadonlyArray<string>, value: unknown): boolean =>
  listed === "by-client" || listed.some((each) => each === value)

/** Refuses to have something signed for a client by an algorithm that its profile does not take: its row may be older than its profile. Undefined where the profile takes all of them. */
export const algorithmRefused = (
  { name, parameters }: Profile,
  algorithms: ReadonlyArray<string | undefined>,
  error: ErrorCode = "unauthorized_client",
): Refusal | undefined => {
  const refused = algorithms.find((alg) => alg !== undefined && !allows(parameters.algorithms, alg))
  return refused === undefined
    ? undefined
    : refuse(
        error,
        "The client may not have its answer signed by this algorithm.",
        `${refused}, and the client is held to the profile ${name}: register PS256, ES256 or EdDSA for it`,
      )
}

/** Leaves out the rules that are off in a profile, from here on. */
export const holdTo = ({ off }: Profile, trace: Tracing): void => {
  if (off.size > 0) trace.off = new Set([...trace.off, ...off])
}
