import { systemClock } from "@postern/stores/sql"
import { profileNamed, profiles } from "@postern/core"
import { grantTypesOf, isResourceServer } from "@postern/core/model"
import { promised } from "../action.ts"
import { writePath } from "../config/fault.ts"
import { demandsOf } from "../config/profiles.ts"
import { clientFindings } from "../data/clientFindings.ts"
import { type TrailFinding, trailFindings } from "../data/trailFindings.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { failed, misused } from "../failure.ts"
import { printable, say, sayJson, styled } from "../terminal/output.ts"

/** The parameters of `postern client readiness`. */
export interface Readiness extends Whereabouts {
  readonly clientId: string
  /** The name of the profile; defaults to the client's own. */
  readonly profile: string | undefined
  readonly json: boolean
}

/** The number of days of trails examined. Trails are not kept longer. */
const days = 7

const requestsTold = (count: number): string => (count === 1 ? "1 request" : `${count.toLocaleString("en")} requests`)

/** Formats findings of trails for the operator. */
const trailLines = (found: ReadonlyArray<TrailFinding>): ReadonlyArray<string> =>
  found.map(
    ({ rule, cites, count, of, message }) =>
      `${styled("bold", rule)} ${requestsTold(count)} of ${of.toLocaleString("en")} ${printable(message)}\n    ${styled("dim", cites)}`,
  )

/**
 * Reports whether a client could be held to a profile: the profile's demands that its metadata fails, its requests of the last week that
 * would have been refused, and the requirements that would apply to its requests. Changes nothing.
 */
export const clientReadiness = promised(async ({ clientId, profile: asked, json, ...whereabouts }: Readiness) =>
  withStores(whereabouts, false, async ({ clients, trails }, place) => {
    const found = await clients.show(clientId)
    if (found === undefined) throw failed(`there is no client ${clientId}`, "`postern client list` lists all clients")
    const name = asked ?? found.metadata.profile ?? place.setup?.profile ?? "default"
    const profile = profileNamed(name)
    if (profile === undefined) throw misused(`there is no profile ${name}`, `use one of: ${profiles.map((each) => each.name).join(", ")}`)
    const findings = clientFindings({ ...found.metadata, profile: name }, place, found.hasSecret)
    const demands = demandsOf(profile)
    const kept = await trails.ofClient(clientId, systemClock() - days * 86_400)
    const { introspection_resources: introspectionResources = [] } = found.metadata
    const isServer = isResourceServer({ grantTypes: grantTypesOf(found.metadata), introspectionResources })
    const seen = trailFindings(profile, kept).filter(({ rule }) => !isServer || rule !== "client.method-profile")
    const keeps = place.setup?.trail === "all" ? "" : ': those refused, unless the configuration says "trail": "all"'
    const coverage = `${requestsTold(kept.length)} of the last ${days} days left a trail${keeps}`
    const isReady = findings.length === 0 && seen.length === 0
    const unready = `client ${clientId} does not meet the profile ${name}`
    if (json) {
      sayJson({
        client_id: clientId,
        profile: name,
        ready: isReady,
        faults: findings.map(({ path, message, hint }) => ({ path: writePath(path), message, hint })),
        requests: { days, kept: kept.length, findings: seen },
        demands,
      })
      if (!isReady) throw failed(unready)
      return
    }
    if (!isReady)
      throw failed(unready, seen.length > 0 ? coverage : undefined, [
        ...findings.map(
          ({ path, message, hint }) =>
            `${styled("bold", printable(writePath(path)))} ${printable(message)}\n    ${styled("dim", printable(hint))}`,
        ),
        ...trailLines(seen),
      ])
    say(`${styled("green", "✓")} the metadata of client ${clientId} meets the profile ${name} (${profile.cites})`)
    say(`  ${coverage}${kept.length > 0 ? ", none of which would have been refused" : ""}`)
    if (demands.length > 0) say("  each of its requests must meet:")
    for (const demand of demands) say(`    ${demand}`)
  }),
)
