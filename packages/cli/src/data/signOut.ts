import { SignOutContended, signOutEverywhere as signOut } from "@postern/core"
import type { Stores } from "@postern/stores"
import { providerOptions } from "../config/providerOptions.ts"
import { failed } from "../failure.ts"
import type { DataPlace } from "./place.ts"

/**
 * Ends all sessions of a user and revokes all grants, with the codes and tokens issued from them. The server sends logout tokens to
 * clients, if a configuration is given. Returns the number of live sessions ended.
 */
export const signOutEverywhere = async (
  { clients, tokens }: Pick<Stores, "clients" | "tokens">,
  { setup }: Pick<DataPlace, "setup">,
  subject: string,
): Promise<number> => {
  // The features of the provider are unknown without its configuration.
  const options = setup === undefined ? { issuer: "http://localhost", features: [] } : providerOptions(setup)
  try {
    return await signOut(options, { clients, tokens, clock: Date.now }, subject)
  } catch (error) {
    throw error instanceof SignOutContended ? failed("the sessions were not ended", "try again") : error
  }
}
