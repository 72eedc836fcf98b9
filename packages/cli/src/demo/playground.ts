import { foundationStyles } from "@postern/adapter-http/pages"
import { readFileSync } from "node:fs"
import { createServer, type Server, type ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import type { RecentTrails } from "./recentTrails.ts"

/** Settings of the playground page. */
export interface PlaygroundSetup {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly homeUri: string
  readonly scopes: ReadonlyArray<{ readonly name: string; readonly title: string; readonly ticked: boolean }>
  /** The authorization details that the playground may request. */
  readonly details: ReadonlyArray<object>
  /** The TV client and its scopes. */
  readonly television: { readonly clientId: string; readonly scope: string }
  readonly people: ReadonlyArray<{ readonly username: string; readonly password: string }>
}

const folder = new URL("../../playground/", import.meta.url)

/** The file of the demo's logo. */
export const demoLogo = fileURLToPath(new URL("logo.svg", folder))

const scripts = ["attacks", "dom", "flow", "main", "protocol", "rules", "state", "television", "trails", "view"]

const styles = "text/css; charset=utf-8"

/** The files of the page, by URL path. */
const files: Readonly<Record<string, readonly [file: string, type: string]>> = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/callback": ["index.html", "text/html; charset=utf-8"],
  "/playground.css": ["playground.css", styles],
  ...Object.fromEntries(scripts.map((name) => [`/${name}.js`, [`${name}.js`, "text/javascript; charset=utf-8"] as const])),
  "/icon.svg": ["icon.svg", "image/svg+xml"],
}

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" })
  response.end(body)
}

const sendJson = (response: ServerResponse, value: unknown): void => send(response, 200, "application/json", JSON.stringify(value))

/** Returns the trails that a query selects. */
const asked = (query: URLSearchParams, clientId: string, trails: RecentTrails) => {
  const requestId = query.get("request_id")
  if (requestId === null) return trails.after(Number(query.get("after")), clientId)
  const found = trails.of(requestId)
  return found === undefined ? [] : [found]
}

/** Serves a small relying party on its own origin: static files, and the trails of its requests. */
export const playgroundServer = (setup: PlaygroundSetup, trails: RecentTrails): Server => {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${setup.issuer}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const { origin, host } = new URL(setup.homeUri)
  return createServer((request, response) => {
    // Prevents DNS rebinding: another site must not read the trails.
    if (request.headers.host !== host) return send(response, 421, "text/plain", `This is ${origin}\n`)
    const target = request.url ?? "/"
    // Any page of a browser may ask for `//`, which is no URL.
    if (!URL.canParse(target, origin)) return send(response, 400, "text/plain", "This is no address.\n")
    const url = new URL(target, origin)
    if (request.method !== "GET" && request.method !== "HEAD") return send(response.setHeader("allow", "GET, HEAD"), 405, "text/plain", "")
    if (url.pathname === "/setup.json") return sendJson(response, setup)
    if (url.pathname === "/trails/mark") return sendJson(response, { mark: trails.mark() })
    if (url.pathname === "/foundation.css") return send(response, 200, styles, foundationStyles())
    if (url.pathname === "/trails") return sendJson(response, asked(url.searchParams, setup.clientId, trails))
    const file = Object.hasOwn(files, url.pathname) ? files[url.pathname] : undefined
    if (file === undefined) return send(response, 404, "text/plain", "There is nothing here.\n")
    response.setHeader("content-security-policy", policy)
    response.setHeader("referrer-policy", "no-referrer")
    return send(response, 200, file[1], readFileSync(new URL(file[0], folder)))
  })
}
