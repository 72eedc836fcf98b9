import * as Effect from "effect/Effect"
import type { Endpoint } from "../endpoint.ts"

/** The provider's public keys (RFC 7517 §5). */
export const jwks: Endpoint = {
  name: "jwks",
  path: "/.well-known/openid-configuration/jwks",
  methods: ["GET"],
  audience: "programs",
  cors: true,
  attempt: (_, { ports }) => Effect.map(ports.signer.keys(), (keys) => ({ _tag: "Reply", body: { keys }, cacheable: true, commands: [] })),
}
