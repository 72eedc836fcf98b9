import { kindFault, partFaults, refuseFaults } from "@postern/core/options"

/** Throws a `TypeError` for a value that is no open database, or options that are no object, before a part of a store is made of them. */
export const refuseDatabase = (called: string, database: unknown, options?: unknown): void =>
  refuseFaults(called, partFaults("database", database, { prepare: "function" }, "Database"), kindFault("options", options, "object?"))
