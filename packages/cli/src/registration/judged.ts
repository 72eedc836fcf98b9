import { registration, ruleTablesOf, type RuleEntry } from "@postern/core"
import type { Setup } from "../config/setup.ts"
import { bytesOf } from "../config/bytes.ts"
import { Failed, failed } from "../failure.ts"
import { trialProvider } from "./trial.ts"

/** The result for client metadata: the client that would be registered, or the rule that refuses it. */
export type JudgedMetadata =
  | { readonly registered: unknown }
  | { readonly refused: { readonly rule: string; readonly cites: string; readonly reason: string } }

const read = (file: string): string => {
  try {
    return bytesOf(file).toString("utf8")
  } catch (error) {
    if (error instanceof Failed) throw error
    throw failed(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Validates client metadata with an in-memory provider of the same settings, so that no rule is duplicated. Nothing is fetched or stored,
 * and no initial access token is needed.
 */
export const judgedMetadata = async (setup: Setup, file: string): Promise<JudgedMetadata> => {
  const body = read(file)
  const features = setup.features.map((each) => (each.name === "registration" ? registration({ ...setup.registration, open: true }) : each))
  const { provider, trails } = await trialProvider(setup, { features })
  const answer = await provider.fetch(
    new Request(`${setup.issuer.replace(/\/$/, "")}/connect/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    }),
  )
  if (answer.status === 201) {
    const { client_id, client_id_issued_at, client_secret, registration_access_token, registration_client_uri, ...registered } =
      (await answer.json()) as Record<string, unknown>
    return { registered }
  }
  const refused = trails.at(-1)?.steps.at(-1)?.refused
  if (refused === undefined) throw failed("the metadata could not be judged", "run `postern check-config`")
  return { refused: { rule: refused.rule, cites: refused.cites, reason: refused.reason } }
}

/** Returns the rules that apply to registrations, in order. */
export const registrationRules = ({ features }: Setup): ReadonlyArray<RuleEntry> =>
  ruleTablesOf({ features })
    .filter(({ name }) => /^(?:register|registration|manage-registration)(?:\/|$)/.test(name))
    .flatMap(({ rules }) => rules)
