import { type MetadataDocumentOptions, metadataDocuments } from "@postern/core"
import { describe, expect, test } from "vitest"
import { askFor, document, documentCode, documentId, documents, redeemAs, webDocument, webOf } from "../support/documents.ts"
import { signedIn } from "../support/flows.ts"
import { world } from "../support/world.ts"

const [issuer, elsewhere, ownId] = ["http://127.0.0.1:8080", "https://op.example", "http://localhost:8410/app.json"]

/** A provider with documents at an id, at its own issuer or on this machine. */
const providing = (options: MetadataDocumentOptions, clientId = ownId, at = issuer) => {
  const web = webOf({ [clientId]: document({ ...webDocument, client_id: clientId }) })
  return world({ ...documents(web, options), issuer: at })
}

/** The label that pages show of the client: on its way in, and on the home page. */
const labels = async (options: MetadataDocumentOptions, clientId = ownId, at = issuer): Promise<unknown> => {
  const w = await providing(options, clientId, at)
  const person = await signedIn(w)
  const { page } = await askFor(w, clientId, {}, person)
  if (page?.["_tag"] !== "Consent") return page?.["trouble"]
  await redeemAs(w, await documentCode(w, clientId, {}, person), clientId)
  const { consents } = (await person.get("/")).page ?? {}
  const [home] = consents as ReadonlyArray<{ readonly client: Readonly<Record<string, unknown>> }>
  return [(page["client"] as Readonly<Record<string, unknown>>)["isUnderDevelopment"], home?.client["isUnderDevelopment"]]
}

describe("clients under development (draft-ietf-oauth-client-id-metadata-document §4.4)", () => {
  const everybodyElse: ReadonlyArray<readonly [string, MetadataDocumentOptions]> = [
    ["no policy at all", {}],
    ["policies for certain hosts alone", { policies: [{ hosts: ["claude.ai"] }], others: false }],
    ["a last policy that serves nobody else", { policies: [{ hosts: ["claude.ai"] }, { hosts: ["*"], allow: false }] }],
  ]
  test.for(everybodyElse)("one on the machine of a provider under development is served and labelled, with %s", async ([, options]) => {
    expect(await labels(options)).toEqual([true, true])
    expect(await labels(options, "http://127.0.0.1:8410/app.json")).toEqual([true, true])
  })

  test("a policy that refuses its very host refuses it, at every port", async () => {
    expect(await labels({ policies: [{ hosts: ["localhost"], allow: false }] })).toBe("client_unknown")
    expect(await labels({ policies: [{ hosts: ["localhost:8410", "*"], allow: false }] })).toBe("client_unknown")
  })

  test("a policy that limits all hosts limits it too", async () => {
    expect(await labels({ policies: [{ hosts: ["*"], scope: ["openid"] }] })).toEqual([true, true])
    const w = await providing({ policies: [{ hosts: ["*"], scope: ["openid"] }] })
    expect((await askFor(w, ownId, { scope: "openid email" })).params["error"]).toBe("invalid_scope")
  })

  test("a provider that others reach has no client on its own machine, whatever its policies", async () => {
    for (const options of [{}, { policies: [{ hosts: ["localhost"], development: true }] }])
      expect(await labels(options, ownId, elsewhere)).toBe("client_unknown")
  })

  test("those of a service for developers are labelled, and none of other hosts", async () => {
    const options = { policies: [{ hosts: ["app.example"], development: true }], others: {} }
    expect(await labels(options, documentId, elsewhere)).toEqual([true, true])
    expect(await labels(options, "https://other.example/client.json", elsewhere)).toEqual([undefined, undefined])
    expect(await labels(options, "https://other.example/client.json")).toEqual([undefined, undefined])
  })

  test("nobody vouches for a client under development", () => {
    expect(() => metadataDocuments({ policies: [{ hosts: ["app.example"], development: true, verified: true }] })).toThrow(
      "policies[0].development: is set for hosts that are verified",
    )
  })
})
