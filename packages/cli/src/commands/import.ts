import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { command } from "./command.ts"
import { json } from "./options.ts"

const file = Argument.String("file").pipe(Argument.withDescription("The configuration: JSON, or a module that exports it as its default"))
const issuer = Flag.String("issuer").pipe(Flag.withMetavar("URL"), Flag.withDescription("The issuer, the first argument of new Provider"))

const oidcProvider = command(
  "oidc-provider",
  "Convert a configuration of oidc-provider 9, and report every setting without an equivalent",
  { file, issuer, json },
  async () => (await import("../actions/importConfig.ts")).importFromOidcProvider,
  {
    "postern import oidc-provider configuration.mjs --issuer https://id.example.com > postern.jsonc":
      "Write a file to check with postern check-config",
  },
)

/** `postern import …`. */
export const importFrom = Command.make("import").pipe(
  Command.withDescription("Convert configurations of other providers: oidc-provider"),
  Command.withSubcommands([oidcProvider]),
)
