import { eachOf, type Fault, type Registration } from "../../rules/registrationFault.ts"
import { closest } from "../../model/closest.ts"
import { pass, table } from "../../rules/rule.ts"
import { typesName } from "./metadata.ts"

/** Rules for the types of authorization details that a client may use. */
export const registration = table<Registration, Fault>("registration/rich-authorization").rule(
  "registration.authorization-details-types",
  "RFC 9396 §10",
  ({ client: { authorization_details_types: named }, provider: { detailTypes } }) =>
    detailTypes === undefined
      ? pass
      : eachOf(typesName, named, (type) => {
          if (detailTypes.includes(type)) return pass
          const near = closest(type, detailTypes)
          return [
            `${type} is no type of authorization_details`,
            near.length === 0 ? "declare it under authorization_details_types of the provider" : `did you mean ${near.join(" or ")}?`,
          ]
        }),
)
