import { command } from "./command.ts"
import { port, text, texts, toggle, wholeNumber } from "./options.ts"

/** `postern misbehave`. */
export const misbehave = command(
  "misbehave",
  "Run a provider with chosen faults, to see which of them a client detects. Only for testing clients",
  {
    port,
    clientFile: text("client-file", "FILE", "The clients to try, as `postern client import` takes them"),
    faults: text(
      "faults",
      "IDS",
      "The faults to offer: all (the default), or ids and presets (oidf-basic, fapi2, mcp, ciba, chaos), separated by commas; a single id applies to every answer",
    ),
    client: texts("client", "CLIENT=ID", "Apply this fault to this client, without a request for it by acr_values"),
    idJagAudience: texts(
      "id-jag-audience",
      "ISSUER",
      "Issue ID-JAGs for this authorization server, which knows the clients by the same client_id",
    ),
    idJagResource: texts("id-jag-resource", "URI", "A resource of that server that requests for ID-JAGs may name"),
    script: text("script", "FILE", "Faults for the nth answer of a kind, as JSON: for example, lose the answer to the second refresh"),
    seed: wholeNumber("seed", "N", "The seed of the preset chaos: the same seed draws the same faults"),
    tlsCert: text("tls-cert", "FILE", "A certificate for localhost, PEM; the issuer is then https"),
    tlsKey: text("tls-key", "FILE", "Its private key, PEM"),
    format: text("format", "NAME", "Write a report when it stops: junit, sarif, tap, json, html or markdown"),
    out: text("out", "FILE", "The file for the report (default: stdout)"),
    list: toggle("list", "List the faults, and run nothing"),
  },
  async () => (await import("../actions/misbehave.ts")).misbehaveProvider,
  {
    "postern misbehave --port 9000 --client-file clients.json": "Sign in at http://127.0.0.1:9000/f/ID with your client",
    "postern misbehave --faults id-token.nonce-wrong --client-file clients.json": "Apply one fault to every client",
    "postern misbehave --faults chaos --seed 7 --client-file clients.json": "Draw a fault, or none, for each sign-in",
    "postern misbehave --list": "List the faults, each with the paragraph that the client must follow",
  },
)
