import { partFaults, refuseFaults } from "@postern/core/options"
import { faultsOfNeeds } from "./needs.ts"
import type { Needs } from "./rules.ts"
import type { ResourceServer } from "./server.ts"

const serverFaults = (server: ResourceServer): ReadonlyArray<string> =>
  partFaults("server", server, { verify: "function", metadataFor: "function" }, "ResourceServer")

/** Throws for what is no resource server. */
export const refuseServer = (server: ResourceServer): void => refuseFaults("@postern/verify", serverFaults(server))

/** Throws for a guard that would let no request pass: without a server, with needs that there are none of, or without an operation. */
export const refuseGuard = (server: ResourceServer, needs: Needs, ...more: ReadonlyArray<string | undefined>): void =>
  refuseFaults("@postern/verify", serverFaults(server), faultsOfNeeds(needs), ...more)
