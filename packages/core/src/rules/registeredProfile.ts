import type { ClientMetadata, Profile } from "../model/index.ts"
import { registeredProfile } from "./profile.ts"
import type { RegistrationSeen } from "./registrationFault.ts"

// Kept apart from the rules about profiles, because features use it in their own rules, and most providers register no clients.

/** Returns the profile that applies to a client's metadata. */
export const profileOf = ({ profile }: ClientMetadata, seen: RegistrationSeen): Profile => registeredProfile(profile, seen)

/** Reports whether a response mode is one of JARM's, by its name (JARM §2.3). */
export const isSignedMode = (mode: string): boolean => mode === "jwt" || mode.endsWith(".jwt")
