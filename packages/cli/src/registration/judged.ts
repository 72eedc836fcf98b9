import { readFileSync } from "node:fs"
import { createProvider, registration, rowKindsOf, ruleTablesOf, type RuleEntry, type Trail } from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"
import { providerOptions } from "../config/providerOptions.ts"
import type { Setup } from "../config/setup.ts"
import { failed } from "../failure.ts"

/** The verdict on metadata: the client that it would be, or the rule that refuses it. */
export type JudgedMetadata =
  | { readonly registered: unknown }
  | { readonly refused: { readonly rule: string; readonly cites: string; readonly reason: string } }

const read = (file: string): string => {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8")
  } catch (error) {
    throw failed(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/**
 * Judges metadata as the provider of a setup would: by a provider of the same settings in memory, so that no rule is told twice. Nothing is fetched or
 * kept, and it asks for no initial access token.
 */
export const judgedMetadata = async (setup: Setup, file: string): Promise<JudgedMetadata> => {
  const body = read(file)
  const features = setup.features.map((each) => (each.name === "registration" ? registration({ ...setup.registration, open: true }) : each))
  const keys = await Promise.all(setup.algorithms.map((alg) => generateKey(alg, { createdAt: 0, activeAt: 0 }, undefined)))
  const trails: Array<Trail> = []
  const provider = createProvider({
    ...providerOptions(setup),
    features,
    clients: memoryClientStore([]),
    tokens: memoryTokenStore(rowKindsOf({ features })),
    signer: joseSigner({ keys: () => keys, now: () => Math.floor(Date.now() / 1000) }),
    authenticator: memoryAuthenticator([]),
    pages: { render: () => "" },
    trails: { record: (trail) => void trails.push(trail()) },
  })
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

/** The rules that registrations meet, in their order. */
export const registrationRules = ({ features }: Setup): ReadonlyArray<RuleEntry> =>
  ruleTablesOf({ features })
    .filter(({ name }) => /^(?:register|registration|manage-registration)(?:\/|$)/.test(name))
    .flatMap(({ rules }) => rules)
