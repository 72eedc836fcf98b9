import { said } from "../support/visitor.ts"
import { resources } from "../support/world.ts"
import { type Case, refused } from "./case.ts"

const notes = { identifier: "https://op.example/notes", title: "Notes", scopes: [{ name: "notes.read", required: false }], metadata: {} }
const options = { more: { resources: [...resources, notes] } }
const place = "/.well-known/oauth-protected-resource/notes"

/** The metadata of protected resources. */
export const cases: ReadonlyArray<Case> = [
  {
    title: "RFC 9728 §2, §3.2: a resource with metadata is described at its place, with its issuer and its scopes",
    rule: undefined,
    options,
    run: async (w) => said(await w.send({ path: place })),
    expect: {
      status: 200,
      json: {
        resource: "https://op.example/notes",
        resource_name: "Notes",
        authorization_servers: ["https://op.example"],
        scopes_supported: ["notes.read"],
        bearer_methods_supported: ["header"],
      },
      headers: { "content-type": "application/json", "access-control-allow-origin": "*", "cache-control": "public, max-age=300" },
    },
  },
  {
    title: "RFC 9728 §3.2: a place at which no resource has metadata is answered 404",
    rule: "protected-resource.declared",
    options,
    run: async (w) => said(await w.send({ path: "/.well-known/oauth-protected-resource" })),
    expect: refused("not_found", "No metadata of a protected resource is here.", 404),
  },
]
