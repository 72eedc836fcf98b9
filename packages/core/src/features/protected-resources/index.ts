import { type JsonObject, refuse } from "../../model/index.ts"
import { table } from "../../rules/rule.ts"
import { type Asked, endpoint } from "../../settle/endpoint.ts"
import { refuseJson } from "../../settle/programs.ts"
import { planOf } from "../../settle/signedMetadata.ts"
import { row } from "../../settle/stage.ts"
import { together } from "../../ports/steps.ts"
import { protectedResourcePath } from "../../wire/index.ts"
import { metadataByPlace } from "./metadata.ts"

export { type ResourceFault, resourceFaults } from "./metadata.ts"

/** Judges a request for the metadata of a protected resource (RFC 9728 §3). */
const rules = table<{ readonly described: JsonObject | undefined }>("protected-resource").present(
  "protected-resource.declared",
  "RFC 9728 §3.1",
  "described",
  () =>
    refuse(
      "not_found",
      "No metadata of a protected resource is here.",
      "no resource whose metadata the provider serves has its place here",
    ),
)

/** The metadata of the declared resources that the provider serves (RFC 9728 §3). */
export const protectedResource = endpoint(
  {
    name: "protected-resource",
    path: protectedResourcePath,
    isBeforePaths: true,
    methods: ["GET"],
    audience: "programs",
    cors: true,
  },
  row<Asked>(refuseJson)
    .read(({ message: { path, query } }, { ports: { settings, signer } }) => {
      const found = metadataByPlace(settings).get(query === "" ? path : `${path}?${query}`)
      const { described, isSigned = false } = found ?? {}
      return together({
        found,
        described,
        algorithms: isSigned ? signer.algorithms() : undefined,
        keys: isSigned ? signer.keys() : undefined,
      })
    })
    .judge(rules)
    .decide(({ found, described, algorithms, keys }, { ports: { settings }, now }) => {
      const reply = { _tag: "Reply", body: described, cacheable: true, commands: [] } as const
      const alg = algorithms?.[0]
      if (alg === undefined || keys === undefined || found === undefined) return reply
      const typ = "oauth-protected-resource+jwt"
      return { ...reply, metadata: planOf(found.described, { issuer: settings.issuer, typ, alg, keys, now }) }
    }),
)
