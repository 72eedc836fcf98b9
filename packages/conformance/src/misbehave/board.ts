import { randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { objectOf } from "../exchange/exchange.ts"
import { jsonReport } from "../report/json.ts"
import { UnknownFault } from "./choice.ts"
import { CannotSignOut } from "./logouts.ts"
import type { Wiring } from "./wiring.ts"
import { anchorOf, scoreboardPage } from "./scoreboard.ts"

const longest = 10_000

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > longest) break
  }
  return text
}

const plain = (response: ServerResponse, status: number, text: string): void =>
  void response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" }).end(`${text}\n`)

const equal = (one: string, other: string): boolean => {
  // Two texts of one length may have another number of bytes.
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The members of a request to the scoreboard. */
interface Told {
  readonly client: string
  readonly fault: string
  readonly signedIn: boolean
}

/** The members of a form of the page. Its buttons submit yes or no. */
const ofForm = (form: URLSearchParams): Readonly<Record<string, unknown>> => {
  const { csrf: _, answer, ...told } = Object.fromEntries(form)
  return answer === undefined ? told : { ...told, signedIn: answer === "yes" ? true : answer === "no" ? false : answer }
}

/**
 * Validates a request's members. Undefined if one is missing, has the wrong type, or is unknown, because such a request states no result.
 */
const toldIn = (path: string, given: Readonly<Record<string, unknown>>): Told | undefined => {
  const { client, fault, signedIn, ...others } = given
  if (typeof client !== "string" || Object.keys(others).length > 0) return undefined
  if (path === "/sign-out") return fault === undefined && signedIn === undefined ? { client, fault: "", signedIn: false } : undefined
  return typeof fault === "string" && typeof signedIn === "boolean" ? { client, fault, signedIn } : undefined
}

/**
 * Serves the pages beside the provider: the scoreboard, results that a person or a script submits, and the report as JSON. Reports whether
 * it handled a request. A form carries a token that only this page has. A script sends JSON, which another site's page cannot send without
 * a preflight (Fetch §3.2).
 */
export const openBoard = (
  wiring: Pick<Wiring, "scores" | "told" | "signOut" | "report">,
  clients: ReadonlyArray<{ readonly client_id: string; readonly backchannel_logout_uri?: string | undefined }>,
) => {
  const csrf = randomBytes(24).toString("base64url")
  const leaving = clients.filter((each) => each.backchannel_logout_uri !== undefined).map(({ client_id }) => client_id)

  const done = async (path: string, { client, fault, signedIn }: Told): Promise<void> => {
    if (!clients.some(({ client_id }) => client_id === client)) throw new CannotSignOut(`there is no client "${client}"`)
    if (path === "/told") wiring.told(fault, client, signedIn)
    else await wiring.signOut(client)
  }

  const posted = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const body = await bodyOf(request)
    const isJson = request.headers["content-type"]?.startsWith("application/json") === true
    if (body.length > longest) return plain(response, 413, "too long")
    if (!isJson && !equal(new URLSearchParams(body).get("csrf") ?? "", csrf))
      return plain(response, 403, "open the scoreboard again, and use its buttons")
    const given = isJson ? objectOf(body) : ofForm(new URLSearchParams(body))
    const told = given === undefined ? undefined : toldIn(path, given)
    if (told === undefined)
      return plain(response, 400, `send ${path === "/told" ? "client, fault and signedIn (true or false)" : "client"}, and nothing else`)
    try {
      await done(path, told)
    } catch (error) {
      if (error instanceof UnknownFault || error instanceof CannotSignOut) return plain(response, 400, error.message)
      throw error
    }
    if (isJson) return void response.writeHead(204).end()
    const row = path === "/told" ? `#${anchorOf(told.client, told.fault)}` : ""
    response.writeHead(303, { location: `/${row}` }).end()
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = (request.url ?? "/").split("?")[0] ?? "/"
    if (path === "/" && request.method === "GET") {
      const headers = {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "content-security-policy":
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      }
      response.writeHead(200, headers).end(scoreboardPage(wiring.scores(), { csrf, leaving }))
      return true
    }
    if (path === "/report.json" && request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" }).end(jsonReport(wiring.report()))
      return true
    }
    if (path !== "/told" && path !== "/sign-out") return false
    if (request.method !== "POST") plain(response, 405, "POST alone")
    else posted(request, response, path).catch(() => response.destroy())
    return true
  }
}
