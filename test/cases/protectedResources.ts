import type { JsonObject } from "@postern/core"
import { headerOf, userinfo } from "../support/flows.ts"
import { said } from "../support/visitor.ts"
import { beginning, issuer, resources } from "../support/world.ts"
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
    title:
      "RFC 9728 §2.2: signed metadata say what the document says, name their issuer, and are signed by a published key under a typ of their own",
    rule: undefined,
    options: { more: { resources: [...resources, { ...notes, signed: true }] } },
    run: async (w) => {
      const answer = said(await w.send({ path: place }))
      const { signed_metadata: jwt, ...document } = answer.json ?? {}
      const typ = "oauth-protected-resource+jwt"
      const { iss, iat, ...claims } = (await w.signer.verify(String(jwt), typ)) ?? {}
      return {
        ...answer,
        json: { iss, iat, typ: headerOf(String(jwt))["typ"], isSame: JSON.stringify(claims) === JSON.stringify(document) } as JsonObject,
      }
    },
    expect: { status: 200, json: { iss: issuer, iat: beginning, typ: "oauth-protected-resource+jwt", isSame: true } },
  },
  {
    title: "RFC 8725 §3.11: signed metadata are no token of ours",
    rule: "userinfo.token-known",
    options: { more: { resources: [...resources, { ...notes, signed: true }] } },
    run: async (w) => userinfo(w, String(said(await w.send({ path: place })).json?.["signed_metadata"])),
    expect: refused("invalid_token", "The access token is not valid.", 401),
  },
  {
    title: "RFC 9728 §3.2: a place at which no resource has metadata is answered 404",
    rule: "protected-resource.declared",
    options,
    run: async (w) => said(await w.send({ path: "/.well-known/oauth-protected-resource" })),
    expect: refused("not_found", "No metadata of a protected resource is here.", 404),
  },
]
