import { profileNamed, profiles } from "@postern/core"
import { promised } from "../action.ts"
import { writePath } from "../config/fault.ts"
import { demandsOf } from "../config/profiles.ts"
import { clientFindings } from "../data/clientFindings.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { printable, say, sayJson, styled } from "../terminal/output.ts"

/** The parameters of `postern client readiness`. */
export interface Readiness extends Whereabouts {
  readonly clientId: string
  /** The name of the profile; the client's own when not given. */
  readonly profile: string | undefined
  readonly json: boolean
}

/** Tells whether a client could be held to a profile: what its metadata lacks for it, and what each of its requests would be held to. Changes nothing. */
export const clientReadiness = promised(async ({ clientId, profile: asked, json, ...whereabouts }: Readiness) =>
  withStores(whereabouts, false, async ({ clients }, place) => {
    const found = await clients.show(clientId)
    if (found === undefined) throw failed(`there is no client ${clientId}`, "`postern client list` shows them all")
    const name = asked ?? found.metadata.profile ?? place.setup?.profile ?? "default"
    const profile = profileNamed(name)
    if (profile === undefined) throw failed(`there is no profile ${name}`, `use one of: ${profiles.map((each) => each.name).join(", ")}`)
    const findings = clientFindings({ ...found.metadata, profile: name }, place, found.hasSecret)
    const demands = demandsOf(profile)
    if (json)
      return sayJson({
        client_id: clientId,
        profile: name,
        ready: findings.length === 0,
        faults: findings.map(({ path, message, hint }) => ({ path: writePath(path), message, hint })),
        demands,
      })
    if (findings.length > 0)
      throw failed(
        `client ${clientId} does not meet the profile ${name}`,
        undefined,
        findings.map(
          ({ path, message, hint }) =>
            `${styled("bold", printable(writePath(path)))} ${printable(message)}\n    ${styled("dim", printable(hint))}`,
        ),
      )
    say(`${styled("green", "✓")} the metadata of client ${clientId} meets the profile ${name} (${profile.cites})`)
    if (demands.length > 0) say("  each of its requests is held to this:")
    for (const demand of demands) say(`    ${demand}`)
  }),
)
