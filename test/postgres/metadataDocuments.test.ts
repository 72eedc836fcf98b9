import { postgresStores } from "@postern/adapter-postgres"
import { defaultFeatures, metadataDocumentRows, metadataDocuments, rowKindsOf } from "@postern/core"
import { secretOf } from "@postern/core/model"
import type { OutboundAnswer } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import { cheap } from "../store/support.ts"
import { type Web, askFor, document, documentCode, documentId, documents, redeemAs, webDocument, webOf } from "../support/documents.ts"
import { closing, postgresServer } from "../support/postgres.ts"
import { type World, world } from "../support/world.ts"

const server = postgresServer()
const kinds = rowKindsOf({ features: [...defaultFeatures, metadataDocuments()] })
const accountKey = secretOf("an account key that both nodes share")
const named = (client_name: string, more: Parameters<typeof document>[1] = {}): OutboundAnswer =>
  document({ ...webDocument, client_name }, more)

/** Two nodes with connections of their own to one database, each with its own sight of the web. */
const nodes = async (...sights: ReadonlyArray<OutboundAnswer | (() => Promise<OutboundAnswer>)>) => {
  const url = await (await server()).database()
  const made: Array<World & { readonly web: Web }> = []
  for (const sight of sights) {
    const { tokens } = closing(await postgresStores(url, { kinds, hashing: cheap }))
    const web = webOf({ [documentId]: sight })
    made.push({ ...(await world({ ...documents(web, {}, { accountKey }), tokens })), web })
  }
  const [first, second] = made
  if (first === undefined || second === undefined) throw new Error("two nodes have two sights of the web")
  const kept = async () =>
    (await first.tokens.list(metadataDocumentRows, "documents", {})).map(({ document: { client_name } }) => client_name)
  return { first, second, kept }
}
const namesShown = async (...worlds: ReadonlyArray<World>): Promise<ReadonlyArray<unknown>> =>
  Promise.all(worlds.map(async (w) => ((await askFor(w)).page?.["client"] as Record<string, unknown> | undefined)?.["callsItself"]))

describe("documents of clients, on two nodes with one PostgreSQL (draft-ietf-oauth-client-id-metadata-document §4.3)", () => {
  it("both legs see one version, however the document changes in between", async () => {
    const { first, second, kept } = await nodes(named("App"), named("Changed"))
    const code = await documentCode(first)
    expect(await redeemAs(second, code)).toMatchObject({ status: 200 })
    expect([second.web.asked, await kept()]).toEqual([[], ["App"]])
  })

  it("of two that fetch it at once, both take the copy that was kept first", async () => {
    const gates = [Promise.withResolvers<OutboundAnswer>(), Promise.withResolvers<OutboundAnswer>()] as const
    const { first, second, kept } = await nodes(
      () => gates[0].promise,
      () => gates[1].promise,
    )
    const shown = namesShown(first, second)
    while (first.web.asked.length + second.web.asked.length < 2) await new Promise((resolve) => setImmediate(resolve))
    gates[0].resolve(named("One"))
    gates[1].resolve(named("Other"))
    const [left, right] = await shown
    expect([right, await kept()]).toEqual([left, [left]])
    expect(await redeemAs(second, await documentCode(first))).toMatchObject({ status: 200 })
  })

  it("§6.5: a code of one version is refused by a node that has seen another", async () => {
    const unkept = { caching: { cacheControl: "no-store" } }
    const { first, second } = await nodes(named("App", unkept), named("Changed", unkept))
    expect((await redeemAs(second, await documentCode(first))).json).toEqual({
      error: "invalid_grant",
      error_description: "The client has changed since the authorization request.",
    })
    expect(second.trails.at(-1)?.steps.at(-1)?.refused?.rule).toBe("code.client-version")
  })

  it("a document that one node finds gone is gone for the other, which asks again", async () => {
    const { first, second, kept } = await nodes(named("App"), named("App"))
    await askFor(first)
    const code = await documentCode(second)
    for (const { web } of [first, second]) web.answers.set(documentId, document("", { status: 410 }))
    first.pass(300)
    expect(await namesShown(first)).toEqual([undefined])
    expect([await kept(), second.web.asked]).toEqual([[], []])
    expect((await redeemAs(second, code)).json).toMatchObject({ error: "invalid_client" })
    expect(second.web.asked).toEqual([documentId])
  })

  it("a version that one node fetches after its time is the other's too", async () => {
    const { first, second, kept } = await nodes(named("App"), named("App"))
    await askFor(first)
    first.web.answers.set(documentId, named("Newer"))
    for (const node of [first, second]) node.pass(300)
    expect(await namesShown(first)).toEqual(["Newer"])
    expect([await namesShown(second), second.web.asked, await kept()]).toEqual([["Newer"], [], ["Newer"]])
  })
})
