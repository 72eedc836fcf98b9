import { readFileSync } from "node:fs"
import type { RoleName } from "./roles.ts"

/** Roles that these scripts do not set up, because they need more of the provider. */
const notSetUp: ReadonlyArray<RoleName> = ["details", "poll", "ping", "push", "asking", "coded", "terminal", "fapi", "messages"]

/**
 * Scripts that create the test clients with a provider's admin API. Each has the recipe of the pages, the roles without a client, and the
 * command line.
 */
export const adminScripts = {
  keycloak: {
    pages: "keycloak",
    without: notSetUp,
    call: "KEYCLOAK_PASSWORD=… node keycloak.mjs http://127.0.0.1:8080 REALM clients.json",
  },
  hydra: { pages: "postern", without: notSetUp, call: "node hydra.mjs http://127.0.0.1:4445 clients.json" },
} as const

/** The name of a provider with a script. */
export type AdminScript = keyof typeof adminScripts

/** The source of a script. It needs only Node. */
export const adminScript = (name: AdminScript): string => readFileSync(new URL(`../../admin/${name}.mjs`, import.meta.url), "utf8")
