import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const built = fileURLToPath(new URL("../../../node_modules/.cache/recipes", import.meta.url))

/** Folders in which `install.sh` has put each client. */
export const places = {
  django: `${built}/django/bin/python`,
  spring: `${built}/spring/recipe.jar`,
  go: `${built}/goOidc`,
  dovecot: "/usr/sbin/dovecot",
} as const

/** Reports whether a client can be run here; its tests must run where the environment says so. */
export const isThere = (client: keyof typeof places): boolean =>
  existsSync(places[client]) || (process.env["POSTERN_REQUIRE_RECIPES"] ?? "").split(" ").includes(client)
