import { isSignedMode, profileOf } from "../../rules/registeredProfile.ts"
import { type Fault, type Registration, eachOf } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"
import { responseModes } from "./metadata.ts"

/** Reports whether a profile allows responses in a mode, for some response type of a client. */
const isTaken = (mode: string, { client, provider }: Registration): boolean => {
  const { response_types: types = ["code"] } = client
  return {
    "by-client": true,
    "query-or-jwt": isSignedMode(mode) || mode === "query",
    jwt: isSignedMode(mode),
    "jwt-or-id-token": isSignedMode(mode) || types.some((type) => type.split(" ").includes("id_token")),
  }[profileOf(client, provider).parameters.responses]
}

/** Rules for the response modes to which a client restricts itself. */
export const registration = table<Registration, Fault>("registration/response-modes")
  .rule("registration.response-modes", "FAPI 2.0 Message Signing §5.4", (s) =>
    eachOf(responseModes.name, responseModes.of(s), (mode) =>
      s.provider.responseModes?.includes(mode) === false
        ? [`${mode} is not a response mode of this provider`, `use some of: ${s.provider.responseModes.join(", ")}`]
        : pass,
    ),
  )
  .rule(
    "registration.profile-response-modes",
    "FAPI 2.0 Security Profile §5.3.2.2 (1), Message Signing §5.4, FAPI 1.0 Part 2 §5.2.2 (2)",
    (s) =>
      eachOf(responseModes.name, responseModes.of(s), (mode) =>
        isTaken(mode, s)
          ? pass
          : [
              `${mode} is refused by the profile ${profileOf(s.client, s.provider).name}`,
              "use jwt, or give the client the profile default: requests in this mode would all be refused",
            ],
      ),
  )
