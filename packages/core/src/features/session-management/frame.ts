import type { Decision } from "../../model/index.ts"

/**
 * The script of the frame, which compares the session state of a client with the cookie (OpenID Connect Session Management §3.2). Responses
 * go to the origin that asked, and the origin is part of the comparison, so that nobody learns anything about the session of another
 * client.
 */
const script = (cookie: string): string => `
const wanted = ${JSON.stringify(`${cookie}=`)}
const stateNow = () => document.cookie.split("; ").find((each) => each.startsWith(wanted))?.slice(wanted.length) ?? ""
const digest = async (text) =>
  btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const judge = async (data, origin) => {
  const [, client, hash, salt] = /^([\\x21-\\x7e][\\x20-\\x7e]*) ([\\w-]{43})\\.([\\w-]{1,64})$/.exec(typeof data === "string" && data.length < 2000 ? data : "") ?? []
  if (client === undefined || origin === "null") return "error"
  try {
    return (await digest(client + " " + origin + " " + stateNow() + " " + salt)) === hash ? "unchanged" : "changed"
  } catch {
    return "error"
  }
}
addEventListener("message", async ({ data, origin, source }) => {
  if (source === null || source === window || origin === "null") return
  source.postMessage(await judge(data, origin), origin)
})
`

/** Makes the frame's document. Pages of any client may embed it. It loads nothing and runs only its own script. */
export const framePage = (cookie: string, nonce: string): Decision => ({
  _tag: "Document",
  contentType: "text/html; charset=utf-8",
  policy: `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Session</title><script nonce="${nonce}">${script(cookie)}</script></html>`,
  commands: [],
})
