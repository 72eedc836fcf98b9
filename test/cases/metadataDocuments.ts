import type { OutboundAnswer } from "@postern/core/ports"
import { allow, askFor, document, documentCode, documentId, documents, redeemAs, webDocument, webOf } from "../support/documents.ts"
import { authorize, signedIn } from "../support/flows.ts"
import { type Case, page, refused, shown } from "./case.ts"

/** A document that is fetched for every request, and can be changed between two. */
const changing = webOf()
const publish = (name: string): void =>
  void changing.answers.set(documentId, document({ ...webDocument, client_name: name }, { caching: { cacheControl: "no-store" } }))

const unknown = shown("client_unknown", "invalid_client")
const at = (id: string, content: unknown = { ...webDocument, client_id: id }) => documents(webOf({ [id]: document(content) }))

/** An id that is refused before anything is fetched: the document there would be good. */
const id = (title: string, rule: string, clientId: string): Case => ({
  title: `draft-ietf-oauth-client-id-metadata-document §3: ${title}`,
  rule,
  options: at(clientId),
  run: (w) => askFor(w, clientId),
  expect: unknown,
})

/** An answer that is no document of a client. */
const answer = (title: string, rule: string, given: OutboundAnswer): Case => ({
  title: `draft-ietf-oauth-client-id-metadata-document §4: ${title}`,
  rule,
  options: documents(webOf({ [documentId]: given })),
  run: (w) => askFor(w),
  expect: unknown,
})

/** A document that is refused. */
const content = (title: string, rule: string, more: object): Case => answer(title, rule, document({ ...webDocument, ...more }))

export const metadataDocuments: ReadonlyArray<Case> = [
  {
    title: "draft-ietf-oauth-client-id-metadata-document §4: a client that nobody registered is known by the document at its id",
    rule: undefined,
    options: documents(),
    run: async (w) => redeemAs(w, await documentCode(w)),
    expect: { status: 200, json: { token_type: "Bearer", scope: "openid" } },
  },
  {
    title:
      "draft-ietf-oauth-client-id-metadata-document §4.2: metadata of the provider says that it reads documents, and takes clients without a secret",
    rule: undefined,
    options: documents(),
    run: (w) => w.visitor().get("/.well-known/oauth-authorization-server"),
    expect: { status: 200, json: { client_id_metadata_document_supported: true } },
  },
  id("an id with a space is no URL", "document.id-form", "https://app.example/a client"),
  id("an id is https", "document.id-https", "http://app.example/client.json"),
  id("an id carries no user name", "document.id-userinfo", "https://user@app.example/client.json"),
  id("an id names a host", "document.id-host", "https:///client.json"),
  id("an id names a port that there is", "document.id-host", "https://app.example:65536/client.json"),
  id("an id has a path", "document.id-path", "https://app.example/"),
  id("an id has a path before its query", "document.id-path", "https://app.example?client.json"),
  id("an id has no fragment", "document.id-fragment", "https://app.example/client.json#a"),
  id("an id has no segment ..", "document.id-dot-segments", "https://app.example/a/../client.json"),
  id("an id has no segment . in another spelling", "document.id-dot-segments", "https://app.example/a/%2E/client.json"),
  {
    title: "draft-ietf-oauth-client-id-metadata-document §4.4: clients of a host that no policy allows are not served",
    rule: "document.host-allowed",
    options: documents(undefined, { policies: [{ hosts: ["*.example"], allow: false }] }),
    run: (w) => askFor(w),
    expect: unknown,
  },
  answer("a document that is not fetched is none", "document.reached", { _tag: "Unfetched", reason: "redirects are not followed" }),
  answer("a document comes with status 200", "document.status", document(webDocument, { status: 404 })),
  answer("a document is JSON by its type", "document.type", document(webDocument, { contentType: "text/html" })),
  answer("a document without a type is none", "document.type", document(webDocument, { contentType: undefined })),
  answer("a document is 5 kB at most", "document.length", document({ ...webDocument, pad: "x".repeat(5_120) })),
  answer("a document is 5 kB at most in bytes", "document.length", document({ ...webDocument, pad: "ü".repeat(2_600) })),
  answer("a document is a JSON object", "document.object", document("[]")),
  content("a document names itself, byte for byte", "document.client-id", { client_id: "https://app.example/oauth/Client.json" }),
  content("a document holds no secret", "document.no-secret", { client_secret: "s" }),
  content("a document holds no end of a secret", "document.no-secret", { client_secret_expires_at: 0 }),
  content("a client without a secret authenticates by none", "document.auth-method", { token_endpoint_auth_method: "client_secret_post" }),
  content("a document lists its redirect URIs", "registration.redirect-uris-present", { redirect_uris: [] }),
  content("redirect URIs are https", "registration.redirect-uris", { redirect_uris: ["http://app.example/cb"] }),
  content("a signature needs keys", "registration.keys", { token_endpoint_auth_method: "private_key_jwt" }),
  {
    title: "draft-ietf-oauth-client-id-metadata-document §6.3: a code is redeemed by the version of the client that it was issued to",
    rule: "code.client-version",
    options: documents(changing),
    run: async (w) => {
      publish("App")
      const code = await documentCode(w)
      publish("Another")
      return redeemAs(w, code)
    },
    expect: refused("invalid_grant", "The client has changed since the authorization request."),
  },
  {
    title: "draft-ietf-oauth-client-id-metadata-document §6.3: what a person allows is the version of the client that they were shown",
    rule: "consent.client-as-shown",
    options: documents(changing),
    run: async (w) => {
      publish("App")
      const person = await signedIn(w)
      const asked = await authorize(person, documentId)
      publish("Another")
      return allow(person, asked)
    },
    expect: shown("form_stale"),
  },
  {
    title:
      "draft-ietf-oauth-client-id-metadata-document §6: the page that asks for consent names the host first, then the name that the client gives itself",
    rule: undefined,
    options: documents(),
    run: (w) => askFor(w),
    expect: page("Consent", 200, {
      client: { clientId: documentId, name: "app.example", host: "app.example", callsItself: "App", unverified: true },
      destination: "https://app.example",
    }),
  },
]
