import type * as Effect from "effect/Effect"
import { type AnswerableRow, type Decision, type Grant, type HandleKind, type Locator, readHandle } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { mapped, onward, together } from "../ports/steps.ts"
import { type Inquiry, findBy } from "../settle/request.ts"
import type { GrantRequest } from "./grantType.ts"
import type { Issuance, Whose } from "./issuance.ts"
import { issueTokens } from "./issue.ts"

/** Reads the row that a client polls, by a parameter of its request. */
export const readPresented =
  <Row extends AnswerableRow & { readonly digest: string }>(
    parameter: string,
    kind: HandleKind,
    find: (ports: Ports) => (locator: Locator) => Effect.Effect<Row | undefined, PortFailed>,
  ) =>
  ({ params }: GrantRequest, { ports }: Inquiry) => {
    const presented = params.one(parameter)
    const found = findBy(ports, readHandle(kind, presented), find(ports), ({ digest }) => digest)
    return mapped(found, (request) => ({ presented, request }))
  }

/** Reads the grant that a person gave for a polled row, and the person. Both are undefined until the person has approved. */
export const grantOfAnswer = ({ request }: { readonly request: AnswerableRow | undefined }, { ports }: Inquiry) => {
  if (request?.grantId === undefined) return { granted: undefined, person: undefined }
  return onward(ports.tokens.findGrant(request.grantId), (granted) =>
    together({
      granted,
      person: granted && ports.authenticator.find(granted.subject),
      about: { subject: granted?.subject },
    }),
  )
}

/** Evidence of a token request for an existing grant. */
interface OfGrant extends Pick<Issuance, "client" | "scope" | "resources" | "authorizationDetails"> {
  readonly person: Extract<Whose, { readonly _tag: "KeptGrant" }>["person"]
  readonly granted: Grant
}

/** Issues the tokens of an existing grant. The ID token has a `nonce` only if the request redeems the grant's authorization request. */
export const issueOfGrant = (
  { client, person, granted, scope, resources, authorizationDetails }: OfGrant,
  { nonce, family, changes }: Pick<Issuance, "family" | "changes"> & { readonly nonce?: string | undefined },
  inquiry: Inquiry,
): Effect.Effect<Decision, PortFailed> =>
  issueTokens(
    {
      client,
      whose: { _tag: "KeptGrant", person, grant: granted },
      scope,
      resources,
      authorizationDetails,
      accessToken: true,
      idToken: { nonce },
      family,
      changes,
    },
    inquiry,
  )
