import * as Flag from "effect/cli/Flag"
import { command, group } from "./command.ts"
import { argument, json } from "./options.ts"

const file = argument("file", "The configuration: JSON, or a module that exports it as its default")
const issuer = Flag.String("issuer").pipe(Flag.withMetavar("URL"), Flag.withDescription("The issuer, the first argument of new Provider"))

/** `postern import …`. */
export const importFrom = group("import", "Convert configurations of other providers", [
  command(
    "oidc-provider",
    "Convert a configuration of oidc-provider 9, and report every setting without an equivalent",
    { file, issuer, json },
    async () => (await import("../actions/importConfig.ts")).importFromOidcProvider,
    {
      "postern import oidc-provider configuration.mjs --issuer https://id.example.com > postern.jsonc":
        "Write a file to check with postern check-config",
    },
  ),
])
