import type { Decision } from "../../model/index.ts"
import type { PublicJwk } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

const known = new WeakMap<ReadonlyArray<PublicJwk>, Decision>()

const decisionOf = (keys: ReadonlyArray<PublicJwk>): Decision => {
  const before = known.get(keys)
  if (before !== undefined) return before
  const made: Decision = { _tag: "Reply", body: { keys }, cacheable: true, commands: [] }
  known.set(keys, made)
  return made
}

/** The provider's public keys (RFC 7517 §5). */
export const jwks: Endpoint = {
  name: "jwks",
  path: "/.well-known/openid-configuration/jwks",
  methods: ["GET"],
  audience: "programs",
  cors: true,
  attempt: (_, { ports }) => mapped(ports.signer.keys(), decisionOf),
}
