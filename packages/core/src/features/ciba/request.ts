import * as Effect from "effect/Effect"
import { type Command, addMessage, distinct, writeHandle } from "../../model/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { detailsParameter } from "../../rules/details/index.ts"
import { readDetails } from "../../rules/details/known.ts"
import { displayedClient } from "../../rules/faces.ts"
import { profileOf } from "../../rules/profile.ts"
import { askedScope } from "../../rules/scope.ts"
import { grantOfJti } from "../../rules/tokens.ts"
import { keyedHash } from "../../settle/account.ts"
import { mustBeBound, proofsJudged } from "../../settle/confirmation.ts"
import { type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import { limitedForm } from "../../settle/limitedForm.ts"
import { type Inquiry, digestOf, freshLocator } from "../../settle/request.ts"
import { where } from "../../settle/stage.ts"
import { hintToken } from "./hintToken.ts"
import { userCodeParameter } from "./metadata.ts"
import { expiryMessage, notifyMessage, resultContent, toldContent } from "./messages.ts"
import type { CibaSettings } from "./options.ts"
import { type AuthenticationRequest, authenticationRequests, expiryKept, requestAuthentication } from "./rows.ts"
import { clientRules, hintRules, personRules, requestRules } from "./rules.ts"
import { sealed, secretTexts } from "./seal.ts"
import { signedRequest } from "./signed.ts"
import { userCodeOf } from "./userCode.ts"

/** The path of the backchannel authentication endpoint. */
export const cibaPath = "/connect/ciba"

/** The path of the page on which people answer. */
export const approvalPath = "/approve"

/** The address of the page on which the person answers one request. */
export const approvalAddress = (issuer: string, locator: string): string => `${issuer.replace(/\/$/, "")}${approvalPath}?request=${locator}`

/**
 * Makes an `auth_req_id` and the digest that its row stores. Its secret can be computed again, because a result must name it (CIBA Core
 * §10.2, §10.3).
 */
const freshId = (inquiry: Inquiry) => {
  const locator = freshLocator(inquiry)
  return onward(keyedHash(secretTexts(locator), inquiry), (secret) =>
    // The kind is part of the digest, as it is for every handle.
    mapped(digestOf(inquiry.ports, `q ${secret}`), (digest) => ({ locator, digest, value: writeHandle({ kind: "q", locator, secret }) })),
  )
}

/** Finds the person whom a `login_hint` identifies. */
const identified = (hint: string, { ports: { authenticator } }: Inquiry) => (authenticator.identify ?? authenticator.find)(hint)

/** The message that notifies a push client of an expired request (CIBA Core §12), because such a client cannot poll. */
const expiring = (request: AuthenticationRequest, inquiry: Inquiry): ReadonlyArray<Command> => {
  const { locator, digest, clientId, subject, delivery, notification, expiresAt } = request
  if (delivery !== "push" || notification === undefined) return []
  const content = resultContent({ locator, digest, clientId, subject, notification, result: undefined })
  return [addMessage(freshLocator(inquiry), expiryMessage, content, expiresAt)]
}

/** The backchannel authentication endpoint: CIBA Core §7. */
export const backchannelAuthentication = (settings: CibaSettings): Endpoint =>
  endpoint(
    { name: "backchannel-authentication", path: cibaPath, methods: ["POST"], audience: "programs", cors: false },
    limitedForm("backchannel-authentication", { address: "backchannelAddress", client: "backchannelClient" })
      .through(proofsJudged)
      .read(({ client, params }, inquiry) => {
        const { settings: known } = inquiry.ports
        const about = params.one("request") === undefined ? { facts: { "backchannel request": "not signed" } } : {}
        return { settings: known, now: inquiry.now, profile: profileOf(client, known), mustBeBound: mustBeBound(client, inquiry), about }
      })
      .judge(clientRules)
      .through(where(({ params }) => params.one("request") !== undefined, signedRequest))
      .read(({ params, client }, { ports }) => ({
        about: { facts: { "binding message": params.one("binding_message") === undefined ? "none" : "stated" } },
        scope: askedScope(params),
        resources: distinct(params.all("resource")),
        details: readDetails(params.one(detailsParameter), ports.settings, client),
        loginHint: params.one("login_hint"),
        loginHintToken: params.one("login_hint_token"),
        idTokenHint: params.one("id_token_hint"),
        bindingMessage: params.one("binding_message"),
        notificationToken: params.one("client_notification_token"),
        requestedExpiry: params.one("requested_expiry"),
        acrValues: params.one("acr_values"),
        hintedSubject: undefined as string | undefined,
      }))
      .judge(requestRules)
      .read(({ idTokenHint }, inquiry) =>
        onward(loadIdToken(idTokenHint, inquiry), (hinted) => {
          const jti = hinted?.["jti"]
          const grantId = typeof jti === "string" ? grantOfJti(jti) : undefined
          return together({ hinted, grant: grantId === undefined ? undefined : inquiry.ports.tokens.findGrant(grantId) })
        }),
      )
      .judge(hintRules)
      .through(where(({ loginHintToken }) => loginHintToken !== undefined, hintToken(settings, cibaPath)))
      .read(({ loginHint, grant, hintedSubject = grant?.subject }, inquiry) => {
        const { authenticator, clients, tokens } = inquiry.ports
        const hinted = hintedSubject === undefined ? Effect.succeed(undefined) : authenticator.find(hintedSubject)
        return onward(loginHint === undefined ? hinted : identified(loginHint, inquiry), (person) =>
          together({
            person,
            subjectIsClient: person === undefined ? false : mapped(clients.find(person.subject), (client) => client !== undefined),
            lately: person === undefined ? [] : tokens.list(authenticationRequests, "ofPerson", { subject: person.subject }),
            limits: settings,
            about: { subject: person?.subject },
          }),
        )
      })
      .judge(personRules)
      .through(where(({ client }) => settings.checkUserCode !== undefined && userCodeParameter.of(client), userCodeOf(settings)))
      .read((_, inquiry) => freshId(inquiry))
      .read(({ notificationToken, delivery, locator }, inquiry) => ({
        notification:
          notificationToken === undefined || delivery === "poll" ? undefined : sealed(notificationToken, "notification", locator, inquiry),
      }))
      .decide((s, inquiry) => {
        const { client, person, now, locator, digest, value, delivery, lately, life = settings.lifetime } = s
        const expiresAt = now + life
        const order = 1 + Math.max(0, ...lately.map((each) => each.order))
        return mapped(together({ notification: s.notification }), ({ notification }) => {
          const request: AuthenticationRequest = {
            locator,
            digest,
            clientId: client.clientId,
            subject: person.subject,
            order,
            slot: JSON.stringify([person.subject, order]),
            scope: s.scope,
            resources: s.resources,
            authorizationDetails: s.details.sent ? s.details.details : undefined,
            acrValues: s.acrValues,
            bindingMessage: s.bindingMessage,
            delivery,
            notification,
            createdAt: now,
            expiresAt,
            interval: settings.interval,
            polledAt: undefined,
            state: "pending",
            grantId: undefined,
            version: 0,
            keepUntil: expiresAt + (delivery === "push" ? expiryKept : 600),
          }
          const told = {
            subject: person.subject,
            clientId: client.clientId,
            clientName: displayedClient(client).name,
            bindingMessage: s.bindingMessage,
            address: approvalAddress(inquiry.ports.settings.issuer, locator),
            expiresAt,
          }
          const telling = settings.notify === undefined ? [] : [addMessage(freshLocator(inquiry), notifyMessage, toldContent(told), now)]
          return {
            _tag: "Reply",
            cacheable: false,
            commands: [requestAuthentication(request), ...telling, ...expiring(request, inquiry)],
            body: { auth_req_id: value, expires_in: life, ...(delivery === "push" ? {} : { interval: settings.interval }) },
          }
        })
      }),
  )
