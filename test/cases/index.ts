import { cases as answeredAgain } from "./answeredAgain.ts"
import { cases as authorize } from "./authorize.ts"
import { cases as backChannelLogout } from "./backChannelLogout.ts"
import type { Case } from "./case.ts"
import { cases as ciba } from "./ciba.ts"
import { cases as cibaContexts } from "./cibaContexts.ts"
import { cases as cibaDetails } from "./cibaDetails.ts"
import { cases as cibaHintTokens } from "./cibaHintTokens.ts"
import { cases as cibaOwnPages } from "./cibaOwnPages.ts"
import { cases as cibaUserCodes } from "./cibaUserCodes.ts"
import { cases as cibaWays } from "./cibaWays.ts"
import { cases as choices } from "./choices.ts"
import { cases as claims } from "./claims.ts"
import { cases as clientAssertions } from "./clientAssertions.ts"
import { cases as clientAuthentication } from "./clientAuthentication.ts"
import { cases as confirmation } from "./confirmation.ts"
import { cases as contexts } from "./contexts.ts"
import { cases as device } from "./device.ts"
import { cases as deviceSignIns } from "./deviceSignIns.ts"
import { cases as dpop } from "./dpop.ts"
import { cases as dynamicRegistration } from "./dynamicRegistration.ts"
import { metadataDocuments } from "./metadataDocuments.ts"
import { cases as endByHint } from "./endByHint.ts"
import { cases as endSession } from "./endSession.ts"
import { cases as extensionGrants } from "./extensionGrants.ts"
import { cases as fapi } from "./fapi.ts"
import { cases as frontChannelLogout } from "./frontChannelLogout.ts"
import { cases as idJagDetails } from "./idJagDetails.ts"
import { cases as idJagIssuing } from "./idJagIssuing.ts"
import { cases as idJagTaking } from "./idJagTaking.ts"
import { cases as jwtBearer } from "./jwtBearer.ts"
import { interactions } from "./interactions.ts"
import { cases as jarm } from "./jarm.ts"
import { cases as jwtAnswers } from "./jwtAnswers.ts"
import { cases as limits } from "./limits.ts"
import { cases as mutualTls } from "./mutualTls.ts"
import { cases as ownForms } from "./ownForms.ts"
import { cases as pages } from "./pages.ts"
import { cases as password } from "./password.ts"
import { cases as profiles } from "./profiles.ts"
import { cases as programs } from "./programs.ts"
import { cases as protectedResources } from "./protectedResources.ts"
import { cases as pushedRequests } from "./pushedRequests.ts"
import { cases as requestObjects } from "./requestObjects.ts"
import { cases as resource } from "./resource.ts"
import { cases as responseTypes } from "./responseTypes.ts"
import { cases as richAuthorization } from "./richAuthorization.ts"
import { cases as specification } from "./specification.ts"
import { cases as specificationAnswers } from "./specificationAnswers.ts"
import { cases as specificationClients } from "./specificationClients.ts"
import { cases as specificationTokens } from "./specificationTokens.ts"
import { cases as subjects } from "./subjects.ts"
import { cases as tenants } from "./tenants.ts"
import { cases as token } from "./token.ts"
import { cases as tokenExchange } from "./tokenExchange.ts"
import { cases as upstream } from "./upstream.ts"
import { cases as upstreamLogout } from "./upstreamLogout.ts"

/** Every case, by endpoint. */
export const cases: Readonly<Record<string, ReadonlyArray<Case>>> = {
  clientAuthentication,
  clientAssertions,
  token,
  answeredAgain,
  authorize,
  claims,
  confirmation,
  ciba,
  cibaContexts,
  cibaDetails,
  cibaHintTokens,
  cibaOwnPages,
  cibaUserCodes,
  cibaWays,
  dpop,
  contexts,
  tenants,
  subjects,
  interactions,
  jarm,
  jwtAnswers,
  mutualTls,
  responseTypes,
  resource,
  requestObjects,
  richAuthorization,
  protectedResources,
  pushedRequests,
  dynamicRegistration,
  metadataDocuments,
  password,
  profiles,
  device,
  deviceSignIns,
  extensionGrants,
  fapi,
  frontChannelLogout,
  idJagDetails,
  idJagIssuing,
  idJagTaking,
  jwtBearer,
  tokenExchange,
  ownForms,
  pages,
  choices,
  backChannelLogout,
  endByHint,
  endSession,
  programs,
  limits,
  specification,
  specificationClients,
  specificationTokens,
  specificationAnswers,
  upstream,
  upstreamLogout,
}
