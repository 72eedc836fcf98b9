import type { Requirement } from "../requirement/requirement.ts"
import { authorize } from "./authorize.ts"
import { backChannelLogout } from "./backChannelLogout.ts"
import { certification } from "./certification.ts"
import { cibaCodes } from "./ciba/codes.ts"
import { cibaRequests } from "./ciba/requests.ts"
import { cibaResults } from "./ciba/results.ts"
import { cibaSignedRequests } from "./ciba/signed.ts"
import { clientAssertions } from "./clientAssertions.ts"
import { clients } from "./clients.ts"
import { code } from "./code.ts"
import { authorizationDetails } from "./details.ts"
import { device } from "./device.ts"
import { discovery } from "./discovery.ts"
import { documents } from "./documents.ts"
import { proofsOfPossession } from "./dpop.ts"
import { fapiMessages } from "./fapi/messages.ts"
import { fapiSecurity } from "./fapi/security.ts"
import { frontChannelLogout } from "./frontChannelLogout.ts"
import { idJagsIssued } from "./id-jag/issuing.ts"
import { idJagsTaken } from "./id-jag/taking.ts"
import { idToken } from "./idToken.ts"
import { signedResponses } from "./jarm.ts"
import { publishedKeys } from "./keys.ts"
import { logout } from "./logout.ts"
import { managedRegistrations } from "./manageRegistration.ts"
import { mutualTls } from "./mutualTls.ts"
import { clientCredentials, passwords, tokenExchange } from "./otherGrants.ts"
import { pages } from "./pages.ts"
import { pkce } from "./pkce.ts"
import { pushedRequests } from "./pushed.ts"
import { registrations } from "./registration.ts"
import { redirects } from "./redirect.ts"
import { refreshTokens } from "./refresh.ts"
import { requestObjects } from "./requestObjects.ts"
import { resources } from "./resources.ts"
import { responses } from "./responses.ts"
import { introspection, revocation } from "./revocation.ts"
import { session } from "./session.ts"
import { sessionState } from "./sessionState.ts"
import { tokenEndpoint } from "./tokenEndpoint.ts"
import { userinfo } from "./userinfo.ts"

/** Every requirement, area by area. */
export const requirements: ReadonlyArray<Requirement> = [
  ...discovery,
  ...publishedKeys,
  ...authorize,
  ...redirects,
  ...pages,
  ...session,
  ...pkce,
  ...responses,
  ...requestObjects,
  ...pushedRequests,
  ...clients,
  ...clientAssertions,
  ...tokenEndpoint,
  ...code,
  ...refreshTokens,
  ...clientCredentials,
  ...passwords,
  ...device,
  ...tokenExchange,
  ...idJagsIssued,
  ...idJagsTaken,
  ...idToken,
  ...userinfo,
  ...introspection,
  ...revocation,
  ...logout,
  ...backChannelLogout,
  ...frontChannelLogout,
  ...sessionState,
  ...certification,
  ...proofsOfPossession,
  ...signedResponses,
  ...resources,
  ...registrations,
  ...managedRegistrations,
  ...mutualTls,
  ...authorizationDetails,
  ...cibaRequests,
  ...cibaResults,
  ...cibaCodes,
  ...cibaSignedRequests,
  ...documents,
  ...fapiSecurity,
  ...fapiMessages,
]
