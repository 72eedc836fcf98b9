import type { ClientMetadata } from "@postern/core/model"
import { sectorFinding } from "../data/sectors.ts"
import { counted } from "../terminal/amounts.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

/**
 * Checks that clients are listed by the sector identifier documents that they name. Requests of a client that isn't listed are refused if
 * they need its pairwise subject.
 */
export const checkedSectors = async (clients: ReadonlyArray<ClientMetadata>, development: boolean): Promise<ReadonlyArray<Observation>> => {
  const named = clients.filter(({ sector_identifier_uri }) => sector_identifier_uri !== undefined)
  const looked = await Promise.all(
    named.map(async (client): Promise<ReadonlyArray<Observation>> => {
      const found = await sectorFinding(client, development)
      if (found === undefined) return []
      const { read, message, hint } = found
      return [(read ? fault : warning)("sectors", `${client.client_id}: sector_identifier_uri ${message}`, hint)]
    }),
  )
  const found = looked.flat()
  return found.length > 0 || named.length === 0
    ? found
    : [ok("sectors", `${counted(named.length, "client")} listed by the sector_identifier_uri that they name`)]
}
