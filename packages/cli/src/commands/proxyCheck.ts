import { command } from "./command.ts"
import { argument, json } from "./options.ts"

const url = argument("url", "The public URL of the provider, as its callers reach it")

/** `postern proxy-check URL`. */
export const proxyCheck = command(
  "proxy-check",
  "Send forged proxy headers through the public URL, and report what reached the server (exit status 1 if a forgery was trusted)",
  { url, json },
  async () => (await import("../actions/proxyCheck.ts")).checkProxy,
  {
    "postern proxy-check https://id.example.com": "Check the proxies in front of a server with mutual_tls.proxy_check",
  },
)
