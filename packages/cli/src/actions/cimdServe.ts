import * as Effect from "effect/Effect"
import { type Action, attempt } from "../action.ts"
import { systemCode } from "../config/file.ts"
import { bytesOf } from "../config/bytes.ts"
import { Failed, failed, misused } from "../failure.ts"
import { type DocumentServer, type ServedDocument, documentOf, pathOf, refusalOf, secretIn, serveDocuments } from "../mcp/documents.ts"
import { untilStopped } from "../serve/untilStopped.ts"
import { complain, printable, say, styled } from "../terminal/output.ts"

/** The parameters of `postern cimd serve`. */
export interface CimdServeCall {
  readonly files: ReadonlyArray<string>
  readonly port: number | undefined
  readonly url: string | undefined
}

const baseOf = (url: string): string => {
  if (!url.startsWith("https://") || !URL.canParse(url) || /[?#]/.test(url))
    throw misused(`${url} is no https URL`, "give the URL by which others reach this server, such as that of a tunnel")
  return url.replace(/\/$/, "")
}

const textOf = (file: string): string => {
  try {
    return bytesOf(file).toString("utf8")
  } catch (error) {
    if (error instanceof Failed) throw error
    throw failed(`${file} cannot be read: ${systemCode(error)}`, "give files with the metadata of one client each (RFC 7591 §2)")
  }
}

/** Reports whether a provider would accept a client metadata document, once for each version of the document. */
const told = async (file: string, document: ServedDocument, last: Map<string, string>): Promise<void> => {
  const text = JSON.stringify(document)
  if (last.get(file) === text) return
  last.set(file, text)
  const secret = secretIn(document)
  if (secret !== undefined) complain(`${printable(file)} is not served: ${printable(secret)}, which anyone could read`)
  const refused = await refusalOf(document)
  if (refused === undefined) return say(`${styled("green", "✓")} ${printable(file)} is a client`)
  say(`${styled("red", "✗")} ${printable(file)} is refused by ${styled("bold", refused.rule)} (${refused.cites})`)
  say(`    ${printable(refused.reason)}`)
}

const started = async ({ files, port = 8090, url }: CimdServeCall): Promise<DocumentServer> => {
  const paths = new Map(files.map((file) => [pathOf(file), file]))
  if (paths.size < files.length) throw misused("two files have the same name", "files are served under their names: rename one")
  const given = url === undefined ? undefined : baseOf(url)
  const last = new Map<string, string>()
  let base = given ?? ""
  const read = async (path: string, file: string): Promise<ServedDocument> => {
    const document = await documentOf(file, textOf(file), base + path)
    if (document === undefined) throw failed(`${file} is no JSON object`, "give files with the metadata of one client each (RFC 7591 §2)")
    return document
  }
  const server = await serveDocuments(port, async (path) => {
    const file = paths.get(path)
    if (file === undefined) return undefined
    try {
      const document = await read(path, file)
      await told(file, document, last)
      const secret = secretIn(document)
      return secret === undefined ? { document } : { error: "holds_secret", reason: secret }
    } catch (error) {
      if (error instanceof Error) complain(printable(error.message))
      return { error: "not_json" }
    }
  }).catch((error: unknown) => {
    throw failed(`port ${port} cannot be used: ${systemCode(error)}`, "name another with --port")
  })
  base = given ?? server.url
  try {
    say(styled("bold", "Client metadata documents, for development"))
    for (const [path, file] of paths) {
      const document = await read(path, file)
      say(`\n  client_id  ${document.client_id}`)
      await told(file, document, last)
    }
  } catch (error) {
    await server.close()
    throw error
  }
  if (given === undefined) say("\nA provider accepts these clients if it is itself served over http on loopback.")
  else say(`\nListening on ${server.url}: forward ${given} to it.`)
  say("Files are read again at each request. Stop it with Ctrl-C.")
  return server
}

/** Serves client metadata documents until interrupted. */
export const cimdServe: Action<CimdServeCall> = (call) =>
  untilStopped(
    Effect.acquireRelease(
      attempt(() => started(call)),
      (server) => Effect.promise(server.close),
    ).pipe(Effect.asVoid),
  )
