// Postern in Fastify, below /auth, as a plugin whose parsers leave the body alone.
import { toNodeHandler } from "@postern/adapter-http/node"
import fastify from "fastify"
import { exampleProvider } from "./provider.ts"

const port = Number(process.env["PORT"] ?? 4100)
const provider = await exampleProvider(process.env["ISSUER"] ?? `http://127.0.0.1:${port}/auth`)
const handler = toNodeHandler(provider)

const app = fastify()

await app.register(async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
  // The second is for the metadata of an issuer with a path, /.well-known/oauth-authorization-server/auth (RFC 8414 §3.1).
  for (const path of ["/auth/*", "/.well-known/*"])
    scope.all(path, (request, reply) => {
      reply.hijack()
      handler(request.raw, reply.raw)
    })
})
app.get("/hello", () => "The application's own page.")

await app.listen({ port, host: "127.0.0.1" })
console.log(`listening on ${provider.settings.issuer}`)
