import { type Field, ShortText, plainField, values } from "../../model/index.ts"

/** Client metadata for the places at which the people of a client sign in. */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("identity_providers", values.listOf(ShortText)),
  plainField("allow_local_login", values.flag),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  identity_providers: "Names of the identity_providers at which its users may sign in. Default: none.",
  allow_local_login: "Lets users of the client sign in with a password of this provider. Default: true.",
}
