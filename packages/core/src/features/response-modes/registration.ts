import { type Fault, type Registration, eachOf } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"
import { responseModes } from "./metadata.ts"

/** Rules about the response modes that a client restricts itself to. */
export const registration = table<Registration, Fault>("registration/response-modes").rule(
  "registration.response-modes",
  "FAPI 2.0 Message Signing §5.4",
  (s) =>
    eachOf(responseModes.name, responseModes.of(s), (mode) =>
      s.provider.responseModes?.includes(mode) === false
        ? [`${mode} is not a response mode of this provider`, `use some of: ${s.provider.responseModes.join(", ")}`]
        : pass,
    ),
)
