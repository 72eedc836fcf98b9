import * as Effect from "effect/Effect"
import { type Decision, type JsonObject, flagMember } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import type { Inquiry } from "../../settle/request.ts"
import { planOf } from "../../settle/signedMetadata.ts"

/** True for a provider that signs its metadata (RFC 8414 §2.1). */
export const signedMetadata = flagMember(
  "signed_metadata",
  "Adds signed_metadata to the discovery documents: their members as a JWT that the provider signs (RFC 8414 §2.1). It doubles their size. Default: false.",
)

/** Signs a document if the provider signs its metadata. Without a signing key the document stays unsigned. */
export const signedWhere = (
  document: Extract<Decision, { readonly _tag: "Reply" }> & { readonly body: JsonObject },
  { ports: { settings, signer }, now }: Inquiry,
): Effect.Effect<Decision, PortFailed> => {
  if (!signedMetadata.of(settings)) return Effect.succeed(document)
  return Effect.flatMap(signer.algorithms(), ([alg]) =>
    alg === undefined
      ? Effect.succeed<Decision>(document)
      : mapped(signer.keys(), (keys): Decision => {
          const circumstances = { issuer: settings.issuer, typ: "oauth-authorization-server+jwt", alg, keys, now }
          return { ...document, metadata: planOf(document.body, circumstances) }
        }),
  )
}
