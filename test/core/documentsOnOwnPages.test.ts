import { describe, expect, test } from "vitest"
import { answer, atSignIn, device, ownPages, waitingAt } from "../cases/interactions.ts"
import { document, documentId, documentWorld, webDocument } from "../support/documents.ts"

const alice = { signIn: { subject: "sub-alice", amr: ["pwd", "otp"] } }
const grantTypes = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
const other = { ...webDocument, grant_types: grantTypes, redirect_uris: ["https://app.example/cb", "https://elsewhere.example/cb"] }

const ownWorld = () =>
  documentWorld({ ...webDocument, grant_types: grantTypes }, { others: { grantTypes, scope: ["openid", "api.read"] } }, ownPages.more ?? {})

/** A page of the embedder's own that asks for consent, and the document that changes while it is open. */
const atConsent = async () => {
  const w = await ownWorld()
  const first = await atSignIn(w, documentId)
  const sent = await answer(w, first, alice)
  const at = await waitingAt(w, first.visitor, sent.header("location") ?? "")
  const changed = () => {
    w.web.answers.set(documentId, document(other))
    w.pass(300)
  }
  return { w, at, changed }
}

describe("a person's yes on an embedder's page is for the client that was shown (draft-ietf-oauth-client-id-metadata-document §6.3)", () => {
  const yes = { consent: { scopes: ["openid"] } }

  test("while it is as it was, the token of the page is all that an embedder hands back", async () => {
    const { w, at } = await atConsent()
    expect(at.state).toMatchObject({ need: "consent", client: { name: "app.example" } })
    expect((await answer(w, at, yes)).params).toHaveProperty("code")
  })

  test("one that has changed since is refused, and nothing is remembered; the page that is shown anew is answered", async () => {
    const { w, at, changed } = await atConsent()
    changed()
    expect(await answer(w, at, yes)).toMatchObject({ status: 400 })
    expect(JSON.stringify(w.trails.at(-1))).toContain("consent.client-as-shown")
    expect(await w.tokens.consentsOf("sub-alice")).toEqual([])
    expect((await answer(w, await waitingAt(w, at.visitor, at.target), yes)).params).toHaveProperty("code")
  })

  test("a token without the version, or with another, is for no version", async () => {
    const { w, at } = await atConsent()
    const [csrf = ""] = at.state.csrf.split(".")
    for (const sent of [csrf, `${csrf}.`, `${csrf}.another`]) expect((await answer(w, at, { ...yes, csrf: sent })).status).toBe(400)
    const [, version = ""] = at.state.csrf.split(".")
    for (const sent of [`.${version}`, version, `another.${version}`])
      expect((await answer(w, at, { ...yes, csrf: sent })).status).toBe(400)
  })

  test("a no needs no version", async () => {
    const { w, at, changed } = await atConsent()
    changed()
    expect((await answer(w, at, { deny: true })).params).toMatchObject({ error: "access_denied" })
  })

  test("a device is let in for the version that was shown (RFC 8628 §3.3)", async () => {
    const w = await ownWorld()
    w.web.answers.set(documentId, document({ ...webDocument, grant_types: grantTypes }, { caching: { cacheControl: "max-age=60" } }))
    const { at } = await device(w, documentId)
    const scopes = at.state.consent?.scopes.map(({ name }) => name) ?? []
    w.web.answers.set(documentId, document(other))
    w.pass(60)
    expect((await answer(w, at, { consent: { scopes } })).status).toBe(400)
    expect(JSON.stringify(w.trails.at(-1))).toContain("consent.client-as-shown")
    expect((await answer(w, await waitingAt(w, at.visitor, at.target), { consent: { scopes } })).status).toBe(303)
  })
})
