import type { Rewrite } from "./change.ts"
import type { Members } from "./forge.ts"
import { type Misbehavior, type Transform, misbehavior } from "./misbehavior.ts"
import { broken, unsigned } from "./ofSignatures.ts"
import { returnedBy, returning } from "./response.ts"

/** Rewrites the JWT of a successful authorization response. An encrypted one stays, because only its client can read it. */
const responseJwt =
  (rewrite: Rewrite): Transform =>
  async (change) => {
    const found = returnedBy(change.answer)
    const token = change.forge.read(found?.parameters.get("response") ?? "")
    if (found === undefined || token === undefined || token.claims["error"] !== undefined) return undefined
    const response = await rewrite(token, change.forge, change)
    if (response === undefined) return undefined
    found.parameters.set("response", response)
    return returning(change.answer, found, found.place)
  }

const rewritten = (id: string, title: string, rewrite: Rewrite): Misbehavior =>
  misbehavior(`response-jwt.${id}`, title, "JARM §2.4", { authorization: responseJwt(rewrite) })

const claims = (id: string, title: string, changed: (found: Members) => Members): Misbehavior =>
  rewritten(id, title, ({ header, claims: found }, forge) => forge.sign(header, { ...found, ...changed(found) }))

/** Faults of authorization response JWTs. */
export const ofResponseJwts: ReadonlyArray<Misbehavior> = [
  rewritten("alg-none", "the JWT of the response is not signed (none)", unsigned),
  rewritten("signature-broken", "the signature of the response's JWT is broken", broken),
  claims("iss-wrong", "the iss in the response's JWT is another issuer", () => ({ iss: "https://other.example" })),
  claims("iss-missing", "the iss in the response's JWT is missing", () => ({ iss: undefined })),
  claims("aud-wrong", "the aud of the response's JWT is another client", () => ({ aud: "another-client" })),
  claims("aud-missing", "the aud of the response's JWT is missing", () => ({ aud: undefined })),
  claims("exp-past", "the response's JWT has expired an hour ago", ({ exp }) => ({ exp: Number(exp) - 4200 })),
  claims("exp-missing", "the exp of the response's JWT is missing", () => ({ exp: undefined })),
]
