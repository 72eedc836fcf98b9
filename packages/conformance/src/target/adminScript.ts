import { readFileSync } from "node:fs"
import type { RoleName } from "./roles.ts"

/** Roles that need more of a provider than these scripts set up. */
const notSetUp: ReadonlyArray<RoleName> = ["details", "poll", "ping", "push", "asking", "coded", "terminal", "fapi", "messages"]

/** Scripts that make the clients of a test by a provider's admin API: the recipe of its pages, the roles it has no client for, and how the script is called. */
export const adminScripts = {
  keycloak: {
    pages: "keycloak",
    without: notSetUp,
    call: "KEYCLOAK_PASSWORD=… node keycloak.mjs http://127.0.0.1:8080 REALM clients.json",
  },
  hydra: { pages: "postern", without: notSetUp, call: "node hydra.mjs http://127.0.0.1:4445 clients.json" },
} as const

/** The name of a provider that a script is shipped for. */
export type AdminScript = keyof typeof adminScripts

/** The source of such a script, which runs on Node alone. */
export const adminScript = (name: AdminScript): string => readFileSync(new URL(`../../admin/${name}.mjs`, import.meta.url), "utf8")
