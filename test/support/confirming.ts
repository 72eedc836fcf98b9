import { defaultFeatures } from "@postern/core"
import type { Confirmation } from "@postern/core/model"
import type { Feature } from "../../packages/core/src/features/feature.ts"
import { defineExtension } from "../../packages/core/src/features/token/extension.ts"
import { token } from "../../packages/core/src/features/token/index.ts"
import type { Grant } from "../../packages/core/src/issuance/index.ts"

/** The parameters by which a request in a world of {@link confirmingFeatures} says what it has proved. */
export const proving = (confirmation: Confirmation | undefined): Readonly<Record<string, string>> =>
  confirmation === undefined ? {} : { proved: JSON.stringify(confirmation) }

/** A grant whose requests have proved what they say, as a feature of sender constraint would find them to have. */
const confirmed = (grant: Grant): Grant => ({
  ...grant,
  attempt: (seen, inquiry) => {
    const proved = seen.params.one("proved")
    // Written by the function above.
    return grant.attempt(proved === undefined ? seen : { ...seen, confirmation: JSON.parse(proved) as Confirmation }, inquiry)
  },
})

/** The usual features, with a token endpoint at which requests say what they have proved. */
export const confirmingFeatures: ReadonlyArray<Feature> = defaultFeatures.map((each) =>
  each.name === "token"
    ? {
        ...each,
        endpoints: ({ grants, extensionGrants }) => [token([...grants, ...extensionGrants.map(defineExtension)].map(confirmed), [])],
      }
    : each,
)
