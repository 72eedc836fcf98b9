import type { ResponseMode, Seconds } from "../../model/index.ts"
import { formPost, fragment, query } from "../response-modes/index.ts"
import { encryptionOf, signingAlg } from "./metadata.ts"

/** The lifetime of a signed response, ten minutes at most (JARM §2.1). The code in it has its own lifetime. */
const lifetime: Seconds = 600

/**
 * Makes one signed JWT of the response for the client, encrypted if it asked for that (JARM §2.1, §2.2). Its `iss` also serves RFC 9207
 * (RFC 9207 §2.4).
 */
const sign: NonNullable<ResponseMode["sign"]> = (params, { client, issuer, now }) => ({
  alg: signingAlg.of(client),
  typ: "JWT",
  contentType: "application/jwt",
  encryption: encryptionOf(client),
  claims: { ...Object.fromEntries(params), iss: issuer, aud: client.clientId, exp: now + lifetime },
})

/** The signed response in the fragment (JARM §2.3.2). */
export const fragmentJwt: ResponseMode = { ...fragment, name: "fragment.jwt", sign }

/** The signed response in a form (JARM §2.3.3). */
export const formPostJwt: ResponseMode = { ...formPost, name: "form_post.jwt", sign }

/** The encrypted response in the query, where nobody else can read its tokens (JARM §2.3.1). */
const encryptedQueryJwt: ResponseMode = { name: "query.jwt", carriesTokens: true, sign, deliver: query.deliver }

/** The signed response in the query. Because queries end up in logs, tokens in it must be encrypted (JARM §2.3.1). */
export const queryJwt: ResponseMode = {
  ...query,
  name: "query.jwt",
  withTokens: fragmentJwt,
  sign,
  forClient: (client) => (encryptionOf(client) === undefined ? queryJwt : encryptedQueryJwt),
}

/** The signed response in the default mode of its response type: the query for a code, the fragment for tokens (JARM §2.3.4). */
export const jwt: ResponseMode = { ...encryptedQueryJwt, name: "jwt", forClient: () => byType }

/** The mode that `jwt` resolves to. */
const byType: ResponseMode = { ...encryptedQueryJwt, withTokens: fragmentJwt }
