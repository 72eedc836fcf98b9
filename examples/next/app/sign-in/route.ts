// A sign-in page of the application's own: the provider tells who asks and why, and goes on once somebody has signed in.
import { postern } from "../../postern.ts"

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = async (request: Request, problem = ""): Promise<Response> => {
  const asked = await (await postern()).interaction(request)
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // No other page may show this one in a frame, and none is told its address, which has the handle.
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
  }
  if (asked.need === "refused") return new Response(`<!doctype html><p>${escaped(asked.description)}`, { status: asked.status, headers })
  const html = `<!doctype html><html lang="en"><title>Sign in</title><h1>Sign in ${asked.client === undefined ? "" : `to ${escaped(asked.client.name)}`}</h1><p>${problem}</p>
    <form method="post" action=""><input type="hidden" name="csrf" value="${escaped(asked.csrf)}">
    <label>Name <input name="username" value="${escaped(asked.signIn?.loginHint ?? "")}"></label>
    <label>Password <input name="password" type="password"></label><button>Sign in</button></form></html>`
  return new Response(html, { status: problem === "" ? 200 : 400, headers })
}

/** Your own users, by any means: a table, a directory, a passkey. */
const subjectOf = (username: unknown, password: unknown): string | undefined =>
  username === "alice" && password === "wonderland" ? "1" : undefined

export const dynamic = "force-dynamic"

export const GET = (request: Request): Promise<Response> => page(request)

export const POST = async (request: Request): Promise<Response> => {
  const form = await request.formData()
  const subject = subjectOf(form.get("username"), form.get("password"))
  if (subject === undefined) return page(request, "That did not work.")
  const csrf = form.get("csrf")
  return (await postern()).resume(request, { csrf: typeof csrf === "string" ? csrf : "", signIn: { subject, amr: ["pwd"] } })
}
