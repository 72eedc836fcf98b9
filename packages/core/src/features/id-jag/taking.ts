import { type ExtensionGrant, type LoadContext, extensionGrant } from "../../extension/index.ts"
import { resourcesFor } from "../../extension/narrow.ts"
import { idJagType, isTyped } from "../../extension/jwtRules.ts"
import { type PresentedJwt, endOf, presentedJwt, presentedSubject } from "../../extension/trustedIssuer.ts"
import { usedUntilEnd, isJsonObject } from "../../model/index.ts"
import { readJwt } from "../../wire/index.ts"
import type { AssertingProvider } from "./options.ts"
import { type Taking, bounds, claimed, parameters, scopeOf, takingRules } from "./takingRules.ts"

const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/** Finds the subject of the person whose verified e-mail address the grant names, if its issuer is trusted with addresses. */
const subjectByEmail = async (presented: PresentedJwt, provider: AssertingProvider | undefined, { people }: LoadContext<undefined>) => {
  const { verdict } = presented.issued ?? {}
  if (provider?.email !== true || verdict?._tag !== "Verified" || presentedSubject(presented) !== undefined) return undefined
  const { email, email_verified } = verdict.claims
  if (typeof email !== "string" || email === "" || email_verified !== true) return undefined
  const person = await people.identify(email)
  if (provider.emailDomains?.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase()) === false) return undefined
  // The claim is compared because people are also identified by other names, such as usernames.
  return person?.claims["email"] === email && person.claims["email_verified"] === true ? person.subject : undefined
}

/** The resources of the token: those that the grant names, or otherwise those of its scopes and its details. */
const resourcesOf = (s: Taking, scope: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const asked = bounds(s, claimed(s.jwt.claims))
  return asked.asked.length === 0 && s.details.length > 0 ? undefined : resourcesFor(s, scope, asked)
}

/**
 * JWT bearer assertions that are identity assertion JWT authorization grants (RFC 7523 §2.1;
 * draft-ietf-oauth-identity-assertion-authz-grant §4.4). The identity provider through which people sign in here has asserted a person to a
 * client, which receives an access token without asking the person again.
 */
export const taking = (providers: ReadonlyArray<AssertingProvider>): ExtensionGrant =>
  extensionGrant({
    name: jwtBearerGrantType,
    parameters,
    takes: ({ assertion }) => isTyped(readJwt(assertion)?.header["typ"], idJagType),
    rules: takingRules,
    load: async (q, context) => {
      const stated = readJwt(q.parameters.assertion)?.claims ?? {}
      // A subject is unique only within its tenant, so another tenant of the same issuer counts as another issuer.
      const trusted = providers.filter(({ tenant }) => tenant === stated["tenant"])
      const presented = await presentedJwt(q.parameters.assertion, trusted, context)
      const provider = trusted.find(({ issuer }) => issuer === presented.issued?.issuer.issuer)
      return { presented: { ...presented, fallback: await subjectByEmail(presented, provider, context) }, provider }
    },
    grant: (s: Taking) => {
      const { jwt, provider } = s
      const { jti, act } = jwt.claims
      const scope = scopeOf(s)
      return {
        subject: jwt.subject,
        signIn: s.signIn,
        scope,
        resources: resourcesOf(s, scope),
        authorizationDetails: s.details,
        act: isJsonObject(act) ? act : undefined,
        useOnce: provider?.reusable === true ? [] : [{ key: JSON.stringify([jwt.issuer.issuer, jti]), until: usedUntilEnd(endOf(jwt)) }],
      }
    },
  })
