import { type MetadataDocumentOptions, defaultFeatures, metadataDocuments } from "@postern/core"
import type { OutboundAnswer, OutboundPort } from "@postern/core/ports"

import { authorize, post, signedIn, verifier } from "./flows.ts"
import type { Said } from "./visitor.ts"
import type { Visitor } from "./visitor.ts"
import { type World, type WorldOptions, world } from "./world.ts"

/** The id of the client that most tests are about. */
export const documentId = "https://app.example/oauth/client.json"

/** The document of a web application. */
export const webDocument = {
  client_id: documentId,
  client_name: "App",
  redirect_uris: ["https://app.example/cb"],
  token_endpoint_auth_method: "none",
}

/** An answer that is a document. */
export const document = (content: unknown, more: Partial<Extract<OutboundAnswer, { _tag: "Fetched" }>> = {}): OutboundAnswer => ({
  _tag: "Fetched",
  status: 200,
  contentType: "application/json",
  body: typeof content === "string" ? content : JSON.stringify(content),
  ...more,
})

/** The web, as far as tests need it: answers by URL, and every URL that was asked for. */
export interface Web extends OutboundPort {
  readonly asked: Array<string>
  readonly limits: Array<unknown>
  readonly answers: Map<string, OutboundAnswer | (() => OutboundAnswer | Promise<OutboundAnswer>)>
}

/** A web with these documents. */
export const webOf = (answers: Readonly<Record<string, OutboundAnswer | (() => OutboundAnswer | Promise<OutboundAnswer>)>> = {}): Web => {
  const known = new Map(Object.entries(answers))
  const asked: Array<string> = []
  const limits: Array<unknown> = []
  return {
    asked,
    limits,
    answers: known,
    fetch: (url, _, given) => {
      asked.push(url)
      limits.push(given)
      const answer = known.get(url) ?? { _tag: "Unfetched", reason: "no such host", isUnreachable: true }
      return typeof answer === "function" ? answer() : answer
    },
  }
}

/** Options of a world whose clients may be known by documents of a web. */
export const documents = (
  web: Web = webOf({ [documentId]: document(webDocument) }),
  options: MetadataDocumentOptions = {},
  more: WorldOptions["more"] = {},
): Required<Pick<WorldOptions, "more">> => ({
  more: { features: [...defaultFeatures, metadataDocuments(options)], outbound: web, ...more },
})

/** A world with a web. */
export const documentWorld = async (
  content: unknown = webDocument,
  options: MetadataDocumentOptions = {},
  more: WorldOptions["more"] = {},
): Promise<World & { readonly web: Web }> => {
  const web = webOf({ [documentId]: document(content) })
  return { ...(await world(documents(web, options, more))), web }
}

/** Asks for authorization with an id, and follows where it leads. */
export const askFor = async (
  w: World,
  clientId = documentId,
  changes: Readonly<Record<string, string | undefined>> = {},
  visitor: Visitor | Promise<Visitor> = signedIn(w),
): Promise<Said> => authorize(await visitor, clientId, changes)

/** Allows everything that a consent page asks for; gives the answer to the client. */
export const allow = async (visitor: Visitor, asked: Said): Promise<Said> => {
  const scopes = (asked.page?.["scopes"] ?? []) as ReadonlyArray<{ readonly name: string }>
  return visitor.submit(asked.page, [["decision", "allow"], ...scopes.map(({ name }): [string, string] => ["scope", name])])
}

/** A code for a client that is asked about. */
export const documentCode = async (
  w: World,
  clientId = documentId,
  changes: Readonly<Record<string, string | undefined>> = {},
  visitor?: Visitor,
): Promise<string> => {
  const person = visitor ?? (await signedIn(w))
  const asked = await authorize(person, clientId, changes)
  const answer = asked.page?.["_tag"] === "Consent" ? await allow(person, asked) : asked
  const code = answer.params["code"]
  if (code === undefined) throw new Error(`no code: ${answer.status} ${answer.body}`)
  return code
}

/** Redeems a code as a public client that a URL names. */
export const redeemAs = (w: World, code: string, clientId = documentId, redirectUri = "https://app.example/cb"): Promise<Said> =>
  post(w, "/connect/token", undefined, {
    grant_type: "authorization_code",
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
