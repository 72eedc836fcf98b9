import type { ClientMetadata, Profile } from "../model/index.ts"
import { registeredProfile } from "./profile.ts"
import type { RegistrationSeen } from "./registrationFault.ts"

// Apart from the rules about profiles: features use it in rules of their own, and most providers register no client.

/** The profile that a client's metadata would be held to. */
export const profileOf = ({ profile }: ClientMetadata, seen: RegistrationSeen): Profile => registeredProfile(profile, seen)

/** Reports whether a response mode is one of JARM's, by its name (JARM §2.3). */
export const isSignedMode = (mode: string): boolean => mode === "jwt" || mode.endsWith(".jwt")
