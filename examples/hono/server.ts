// Postern in Hono: its paths are the provider's, all others are yours. On Bun, Deno and Workers the same without `serve`.
import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { Hono } from "hono"
import { exampleProvider } from "./provider.ts"

const port = Number(process.env["PORT"] ?? 4100)
const provider = await exampleProvider(process.env["ISSUER"] ?? `http://127.0.0.1:${port}`)

const app = new Hono()

app.use((context, next) =>
  provider.serves(new URL(context.req.url).pathname)
    ? provider.fetch(context.req.raw, { address: getConnInfo(context).remote.address })
    : next(),
)
app.get("/hello", (context) => context.text("The application's own page."))

serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => console.log(`listening on ${provider.settings.issuer}`))
