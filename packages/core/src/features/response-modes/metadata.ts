import { optionalMember, values } from "../../model/index.ts"

/** The response modes to which a client restricts itself (FAPI 2.0 Message Signing §5.4); undefined for all that exist. */
export const responseModes = optionalMember(
  "response_modes",
  values.listOf(values.textOf(100), 1, 20),
  "The response modes that it restricts itself to, such as jwt. Default: any.",
)
