import { SignOutContended, signOutEverywhere as signOut } from "@postern/core"
import type { Stores } from "@postern/stores"
import { providerOptions } from "../config/providerOptions.ts"
import { failed } from "../failure.ts"
import type { DataPlace } from "./place.ts"

/**
 * Ends every session of a person and revokes every grant, with the codes and tokens made from it. Clients that take logout tokens are told of it by the server,
 * where a configuration says how. How many live sessions there were.
 */
export const signOutEverywhere = async (
  { clients, tokens }: Pick<Stores, "clients" | "tokens">,
  { setup }: Pick<DataPlace, "setup">,
  subject: string,
): Promise<number> => {
  // Without its configuration nobody knows the provider's features.
  const options = setup === undefined ? { issuer: "http://localhost", features: [] } : providerOptions(setup)
  try {
    return await signOut(options, { clients, tokens, clock: Date.now }, subject)
  } catch (error) {
    throw error instanceof SignOutContended ? failed("the sessions were not ended", "try again") : error
  }
}
