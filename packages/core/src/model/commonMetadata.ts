import { ShortText, WebUri, clientField } from "./fieldValues.ts"
import { type Field, field } from "./member.ts"
import { values } from "./values.ts"

/** The identifier that every client has: printable ASCII, as RFC 6749 §A.1 allows, with a limited length. */
export const clientIdField = field(
  "client_id",
  values.matching(/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/u, "1 to 200 printable ASCII characters"),
  "The client's id.",
)

/** Client metadata of every provider, regardless of its features: the name and the scope of a client, and its profile. */
export const commonMetadata: ReadonlyArray<Field> = [
  clientField("client_name", ShortText, "The client's display name.", {
    name: "name",
    placeholder: "TEXT",
    description: "The client's display name",
  }),
  clientField("client_uri", WebUri, "The client's home page."),
  clientField("logo_uri", WebUri, "The client's logo on the consent page."),
  clientField("policy_uri", WebUri, "The client's privacy policy."),
  clientField("tos_uri", WebUri, "The client's terms of service."),
  clientField(
    "application_type",
    values.oneOf(["web", "native"]),
    "web, or native for apps on a person's device: those may use loopback addresses with any port, and schemes of their own. Default: web.",
    { name: "native", states: "native", description: "Register a native app" },
  ),
  clientField("scope", values.anyText, "The scopes it may ask for, separated by spaces.", {
    name: "scope",
    placeholder: "SCOPES",
    description: "The scopes it may ask for, separated by spaces",
  }),
  clientField(
    "profile",
    values.textOf(100),
    "The profile the client is held to: default, oauth2.1, mcp, fapi2-security, fapi2-message-signing or fapi1-advanced. Default: the profile of the provider.",
  ),
  clientField("disabled", values.flag, "Refuses the client everywhere. Default: false."),
]
