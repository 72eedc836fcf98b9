import type { RegistrationTable } from "../rules/registrationFault.ts"
import { registration as authorize } from "./authorize/registration.ts"
import { registration as backChannelLogout } from "./back-channel-logout/registration.ts"
import { registration as clientAuthentication } from "./client-authentication/registration.ts"
import { registration as clientCredentials } from "./client-credentials/registration.ts"
import { registration as dpop } from "./dpop/registration.ts"
import { registration as endSession } from "./end-session/registration.ts"
import { registration as frontChannelLogout } from "./front-channel-logout/registration.ts"
import { registration as idTokens } from "./id-tokens/registration.ts"
import { registration as introspection } from "./introspection/registration.ts"
import { registration as jarm } from "./jarm/registration.ts"
import { registration as mutualTls } from "./mutual-tls/registration.ts"
import { registration as refreshToken } from "./refresh-token/registration.ts"
import { registration as responseModes } from "./response-modes/registration.ts"
import { registration as richAuthorization } from "./rich-authorization/registration.ts"
import { registration as subjectTypes } from "./subject-types/registration.ts"
import { registration as token } from "./token/registration.ts"
import { registration as upstream } from "./upstream/registration.ts"
import { registration as userinfo } from "./userinfo/registration.ts"

// Separate from the features that they belong to, so that a provider that registers no clients, and its bundle, can leave them out.

/** The rules of registration of the default features, by the name of the feature. */
const named = {
  authorize,
  "back-channel-logout": backChannelLogout,
  "client-authentication": clientAuthentication,
  "client-credentials": clientCredentials,
  dpop,
  "end-session": endSession,
  "front-channel-logout": frontChannelLogout,
  "id-tokens": idTokens,
  introspection,
  jarm,
  "mutual-tls": mutualTls,
  "refresh-token": refreshToken,
  "response-modes": responseModes,
  "rich-authorization": richAuthorization,
  "subject-types": subjectTypes,
  token,
  upstream,
  userinfo,
} satisfies Readonly<Record<string, RegistrationTable>>

/** The name of registration rules that are kept apart from their feature, which is the name of the feature. */
export type RegistrationName = keyof typeof named

/** The registration rules of a feature; undefined if it has none. */
export const registrationOf = ({
  registration,
}: {
  readonly registration?: RegistrationTable | RegistrationName
}): RegistrationTable | undefined => (typeof registration === "string" ? named[registration] : registration)
