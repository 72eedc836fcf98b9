import { type Server, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type Json, type JsonObject, privateMember } from "@postern/core/model"
import { parse as fileParts } from "node:path"
import { readDocument } from "../config/document.ts"
import { clientOfDocument } from "./clients.ts"
import { verdictOn } from "./diagnosis.ts"
import { developmentServer } from "./inMemory.ts"
import type { RefusedBy } from "./server.ts"

/** A client metadata document as served. */
export type ServedDocument = JsonObject & { readonly client_id: string }

/**
 * Parses client metadata from a file; returns undefined if it is not an object. The `client_id` is replaced by the URL at which the
 * document is served.
 */
export const documentOf = async (file: string, text: string, url: string): Promise<ServedDocument | undefined> => {
  const { value, faults } = await readDocument(file, text)
  if (faults.length > 0 || typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  return { ...(value as JsonObject), client_id: url }
}

const objectsIn = (value: Json): ReadonlyArray<JsonObject> => {
  if (typeof value !== "object" || value === null) return []
  return Array.isArray(value) ? value.flatMap(objectsIn) : [value as JsonObject, ...Object.values(value).flatMap(objectsIn)]
}

/** Describes a secret that a document would publish, a client secret or a private key member; returns undefined if there is none. */
export const secretIn = (document: JsonObject): string | undefined => {
  if ("client_secret" in document) return "it holds client_secret"
  const [member] = objectsIn(document).flatMap((each) => ("kty" in each ? (privateMember(each) ?? []) : []))
  return member === undefined ? undefined : `it holds a key with the private member ${member}`
}

/** The document to serve, or an error. */
export type Served = { readonly document: ServedDocument } | { readonly error: string; readonly reason?: string }

/** Checks a document against a development provider. Returns the refusal, or undefined if it is accepted. */
export const refusalOf = async (document: ServedDocument): Promise<RefusedBy | undefined> =>
  (await verdictOn(clientOfDocument(document.client_id, document), await developmentServer(document))).refused

/** Returns the URL path of a file: its base name with the extension .json. */
export const pathOf = (file: string): string => `/${encodeURIComponent(fileParts(file).name)}.json`

/** A server of client metadata documents on loopback. */
export interface DocumentServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves the documents that `documentAt` returns, on loopback only. Rejects if the port is in use. */
export const serveDocuments = async (port: number, documentAt: (path: string) => Promise<Served | undefined>): Promise<DocumentServer> => {
  const server: Server = createServer((request, response) => {
    const send = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): void =>
      // Not cached, so that each fetch returns the current file.
      void response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", ...headers }).end(body)
    if (request.method !== "GET" && request.method !== "HEAD") return send(405, '{"error":"method_not_allowed"}', { allow: "GET, HEAD" })
    documentAt((request.url ?? "/").replace(/\?.*$/s, "")).then(
      (served) => {
        if (served === undefined) return send(404, '{"error":"not_found"}')
        if ("document" in served) return send(200, JSON.stringify(served.document, undefined, 2))
        return send(500, JSON.stringify({ error: served.error, error_description: served.reason }))
      },
      () => send(500, '{"error":"not_read"}'),
    )
  })
  await new Promise<void>((listens, fails) => {
    server.once("error", fails)
    server.listen(port, "127.0.0.1", listens)
  })
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
