// The same API of web-standard requests: `bun fetch.ts`, `deno serve fetch.ts`, or the module of a worker.
import { resourceServer } from "@postern/verify"
import { protect } from "@postern/verify/fetch"

const resource = "http://127.0.0.1:4200"
const api = resourceServer({ issuer: "http://127.0.0.1:4100", resource, scopes: ["notes.read"] })

export default {
  port: 4200,
  hostname: "127.0.0.1",
  fetch: protect(api, { scope: "notes.read" }, (_request, token) => new Response(`The notes of ${token.subject}.\n`)),
}
