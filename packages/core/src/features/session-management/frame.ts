import type { Decision } from "../../model/index.ts"

/**
 * The script of the frame: compares what a client knows of the session with the cookie (OpenID Connect Session Management §3.2). Answers go to the origin that
 * asked, and the origin is part of what is compared, so nobody learns anything of another's session.
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

/** Makes the frame's document. Pages of any client may show it; it loads nothing, and runs its own script alone. */
export const framePage = (cookie: string, nonce: string): Decision => ({
  _tag: "Document",
  contentType: "text/html; charset=utf-8",
  policy: `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`,
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Session</title><script nonce="${nonce}">${script(cookie)}</script></html>`,
  commands: [],
})
