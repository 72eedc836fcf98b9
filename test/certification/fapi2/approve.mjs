// Answers CIBA requests as the person of the configuration would: the suite's `automated_ciba_approval_url` leads here.
//     NODE_EXTRA_CA_CERTS=tls/cert.pem node approve.mjs [postern.json] [port]
import { readFileSync } from "node:fs"
import { createServer } from "node:http"

const [file = "postern.json", port = "9445"] = process.argv.slice(2)
const { issuer, users } = JSON.parse(readFileSync(file, "utf8"))
const [{ username, password }] = users
const cookies = new Map()

const go = async (url, body) => {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const init = body === undefined ? {} : { method: "POST", body: new URLSearchParams(body) }
  const answer = await fetch(url, {
    ...init,
    redirect: "manual",
    signal: AbortSignal.timeout(10_000),
    headers: cookie === "" ? {} : { cookie },
  })
  for (const set of answer.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (/max-age=0/i.test(set)) cookies.delete(name)
    else cookies.set(name, value)
  }
  const location = answer.headers.get("location")
  return location === null ? { url, status: answer.status, html: await answer.text() } : go(new URL(location, url).href)
}

/** Sends the form of a page with its hidden fields, and those that a person would fill in. */
const submit = ({ url, html }, fields) => {
  const [, action, inputs] = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html) ?? []
  if (action === undefined) throw new Error(`no form at ${url}`)
  const hidden = [...inputs.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) =>
    ["name", "value"].map((part) => new RegExp(`${part}="([^"]*)"`).exec(input)?.[1] ?? ""),
  )
  return go(new URL(action.replaceAll("&amp;", "&"), url).href, { ...Object.fromEntries(hidden), ...fields })
}

/** The locator of a request is the part of its auth_req_id that is no secret. */
const answer = async (id, decision) => {
  let page = await go(`${issuer}/approve?request=${id.slice(2, 18)}`)
  if (page.html.includes('name="password"')) page = await submit(page, { username, password })
  if (!page.html.includes('id="approval-allow"')) throw new Error(`nothing to answer at ${page.url} (${page.status})`)
  return (await submit(page, { decision })).status
}

let last = Promise.resolve()
createServer((request, response) => {
  const asked = new URL(request.url ?? "", "http://localhost").searchParams
  // One at a time: they share a session.
  last = last
    .then(() => answer(asked.get("request") ?? "", asked.get("action") === "allow" ? "allow" : "deny"))
    .then(
      (status) => response.writeHead(status).end(),
      (error) => response.writeHead(500).end(String(error)),
    )
}).listen(Number(port), "127.0.0.1", () => console.log(`answers for ${username} at http://127.0.0.1:${port}`))
