import { type Field, ShortText, clientField, values } from "../../model/index.ts"

/** Client metadata of the places where the people of a client sign in. */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField(
    "identity_providers",
    values.listOf(ShortText),
    "Names of the identity_providers at which its users may sign in. Default: none.",
  ),
  clientField("allow_local_login", values.flag, "Lets users of the client sign in with a password of this provider. Default: true."),
]
