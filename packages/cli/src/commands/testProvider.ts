import { command } from "./command.ts"
import { port, text, toggle } from "./options.ts"

/** `postern test-provider`. */
export const testProvider = command(
  "test-provider",
  "Run an in-memory provider for tests, which control its clock, answers and users over HTTP. Never expose it to people",
  {
    port,
    host: text("host", "ADDRESS", "The address to listen on (default: 127.0.0.1)"),
    issuer: text("issuer", "URL", "The issuer, if clients reach it under another name than this machine's"),
    clientFile: text("client-file", "FILE", "The clients, as `postern client import` takes them (default: one named app)"),
    anyUser: toggle("any-user", "Let anyone sign in under any name, with claims that they type"),
    at: text("at", "TIME", "The time at which its clock stands until tests move it: seconds since 1970, or 2026-11-22T20:00:00Z"),
  },
  async () => (await import("../actions/testProvider.ts")).serveTests,
  {
    "postern test-provider --port 8080": "Run it with the client app and the user alice",
    "postern test-provider --port 8080 --any-user --client-file clients.json": "Let anybody sign in",
  },
)
