import { createRequire } from "node:module"
import { resolve } from "node:path"
import { promised } from "../action.ts"
import { bytesOf } from "../config/bytes.ts"
import { Failed, failed } from "../failure.ts"
import { importOidcProvider } from "../import/oidcProvider.ts"
import { written } from "../import/write.ts"
import { escaped, say, sayJson } from "../terminal/output.ts"

const load = createRequire(import.meta.url)

/** Reads the configuration from a JSON file, or from the default export of a module, which is the operator's own code. */
const configurationOf = (file: string): unknown => {
  try {
    if (file.endsWith(".json")) return JSON.parse(bytesOf(file).toString("utf8")) as unknown
    const loaded: unknown = load(resolve(file))
    return typeof loaded === "object" && loaded !== null && "default" in loaded ? loaded.default : loaded
  } catch (error) {
    if (error instanceof Failed) throw error
    throw failed(`${file} cannot be read: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`)
  }
}

/** Converts an oidc-provider configuration and writes the result to standard output. */
export const importFromOidcProvider = promised(
  async ({ file, issuer, json }: { readonly file: string; readonly issuer: string; readonly json: boolean }) => {
    const configuration = configurationOf(file)
    if (typeof configuration !== "object" || configuration === null || Array.isArray(configuration))
      throw failed(`${file} has no configuration: export it as the default, the second argument of \`new Provider(issuer, configuration)\``)
    const imported = importOidcProvider(issuer, configuration)
    if (json) sayJson(imported)
    else say(escaped(written(imported)))
  },
)
