import type { Client, Profile, Settings } from "../model/index.ts"
import { profileNamed } from "../profiles/index.ts"
import type { Tracing } from "./rule.ts"

/** The profile that a client is held to: its own, or the provider's. */
export const profileOf = ({ profile }: Pick<Client, "profile">, settings: Pick<Settings, "profile">): Profile =>
  (profile === undefined ? undefined : profileNamed(profile)) ?? settings.profile

/** Leaves out the rules that are off in a profile, from here on. */
export const holdTo = ({ off }: Profile, trace: Tracing): void => {
  if (off.size > 0) trace.off = new Set([...trace.off, ...off])
}
