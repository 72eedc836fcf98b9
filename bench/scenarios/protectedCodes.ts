import { membersOf, postingAs, WrongAnswer } from "../load/conversation.ts"
import type { Answer } from "../load/wire.ts"
import { authorizationParams, codes } from "./people.ts"
import type { Scenario } from "./scenario.ts"

/** The type of authorization details that `postern.json` declares. */
export const detailsType = "account_information"

const details = JSON.stringify([{ type: detailsType, actions: ["list_accounts", "read_balances"] }])

/** Pushes the request and answers with the parameters that stand for it (RFC 9126 §2.1, §4). */
function* pushed(): Generator<string, string, Answer> {
  const answer = yield postingAs("web", "/connect/par", authorizationParams)
  const { request_uri: requestUri } = membersOf(answer, "a pushed request", 201)
  if (typeof requestUri !== "string") throw new WrongAnswer("no request_uri", answer)
  return `client_id=web&request_uri=${encodeURIComponent(requestUri)}`
}

/** The code in a signed response (JARM §2.1). */
const codeOfSigned = ({ searchParams }: URL): string | undefined => {
  const [, claims = ""] = (searchParams.get("response") ?? "").split(".")
  const { code } = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}") as { readonly code?: string }
  return code
}

const hasDetails = (answer: Answer): void => {
  const { authorization_details: granted } = membersOf(answer, "tokens with authorization details")
  if (!Array.isArray(granted) || granted.length !== 1) throw new WrongAnswer("no authorization details", answer)
}

/** The code flow, plain and with each protection alone. */
export const protectedCodes: ReadonlyArray<Scenario> = [
  codes({ id: "code", title: "authorization code and PKCE, session and consent exist", requests: 2 }),
  codes({ id: "code-par", title: "the same, its request pushed (PAR)", requests: 3 }, { push: pushed }),
  codes(
    { id: "code-jarm", title: "the same, its response signed with ES256 (JARM)", requests: 2 },
    { more: "&response_mode=query.jwt", codeOf: codeOfSigned },
  ),
  codes(
    { id: "code-details", title: "the same, with authorization details (RAR)", requests: 2 },
    { more: `&authorization_details=${encodeURIComponent(details)}`, check: hasDetails },
  ),
]
