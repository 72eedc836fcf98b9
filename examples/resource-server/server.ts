// An API whose access tokens come from Postern, or from any other issuer of JWT access tokens.
import { createServer } from "node:http"
import { resourceServer } from "@postern/verify"
import { protect } from "@postern/verify/node"

const port = Number(process.env["PORT"] ?? 4200)
const resource = process.env["RESOURCE"] ?? `http://127.0.0.1:${port}`
const api = resourceServer({ issuer: process.env["ISSUER"] ?? "http://127.0.0.1:4100", resource, scopes: ["notes.read"] })

createServer(
  protect(api, { scope: "notes.read" }, (_request, response, token) => {
    response.end(`The notes of ${token.subject}.\n`)
  }),
).listen(port, "127.0.0.1", () => console.log(`listening on ${resource}`))
