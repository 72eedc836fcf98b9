import { readFileSync } from "node:fs"

/** Scripts that make the clients of a test by a provider's admin API: the recipe of its pages, and how the script is called. */
export const adminScripts = {
  keycloak: { pages: "keycloak", call: "KEYCLOAK_PASSWORD=… node keycloak.mjs http://127.0.0.1:8080 REALM clients.json" },
  hydra: { pages: "postern", call: "node hydra.mjs http://127.0.0.1:4445 clients.json" },
} as const

/** The name of a provider that a script is shipped for. */
export type AdminScript = keyof typeof adminScripts

/** The source of such a script, which runs on Node alone. */
export const adminScript = (name: AdminScript): string => readFileSync(new URL(`../../admin/${name}.mjs`, import.meta.url), "utf8")
