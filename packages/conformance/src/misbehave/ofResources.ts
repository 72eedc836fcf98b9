import { keeping, isFine, members } from "./change.ts"
import { type Misbehavior, misbehavior } from "./misbehavior.ts"

/** Faults of protected resource metadata (RFC 9728), which MCP clients fetch first. */
export const ofResources: ReadonlyArray<Misbehavior> = [
  misbehavior("resource.other", "the metadata of the resource is about another resource", "RFC 9728 §3.3", {
    resource: members(() => ({ resource: "https://other.example/resource" })),
  }),
  misbehavior(
    "resource.server-changed",
    "after the first sign-in the resource names another authorization server: what the client has of the first is not for the second",
    "RFC 6749 §2.2",
    {
      token: ({ answer }) => (isFine(answer) ? keeping(answer, { signedIn: "yes" }) : undefined),
      resource: members((_, { kept, planted }) =>
        kept["signedIn"] === undefined ? undefined : { authorization_servers: [`${planted}/server`] },
      ),
    },
    { level: "SHOULD", signIns: 2, calm: true, observe: { resource: [] } },
  ),
]
