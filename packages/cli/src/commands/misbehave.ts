import { command } from "./command.ts"
import { port, text, texts, toggle, wholeNumber } from "./options.ts"

/** `postern misbehave`. */
export const misbehave = command(
  "misbehave",
  "Run a provider that gets wrong what it is told to, and see which faults a client notices. For tests of clients alone",
  {
    port,
    clientFile: text("client-file", "FILE", "The clients to try, as `postern client import` takes them"),
    faults: text(
      "faults",
      "IDS",
      "The faults on offer: all (the default), or ids and presets (oidf-basic, fapi2, mcp, ciba, chaos) with commas between them; one id alone is always wrong",
    ),
    client: texts("client", "CLIENT=ID", "Get this wrong for this client, without being asked by acr_values"),
    idJagAudience: texts(
      "id-jag-audience",
      "ISSUER",
      "Issue ID-JAGs for this authorization server, which knows the clients by the same client_id",
    ),
    idJagResource: texts("id-jag-resource", "URI", "A resource there that requests for ID-JAGs may name"),
    script: text("script", "FILE", "Faults of the nth answer of a kind, as JSON: lose the answer to the second refresh"),
    seed: wholeNumber("seed", "N", "Draw the faults of the preset chaos as this seed did before"),
    tlsCert: text("tls-cert", "FILE", "A certificate for localhost in PEM: the issuer is https then"),
    tlsKey: text("tls-key", "FILE", "Its key in PEM"),
    format: text("format", "NAME", "When it is stopped, write a report: junit, sarif, tap, json, html or markdown"),
    out: text("out", "FILE", "The file of the report; standard output when not given"),
    list: toggle("list", "List what it can get wrong, and run nothing"),
  },
  async () => (await import("../actions/misbehave.ts")).misbehaveProvider,
  [
    {
      command: "postern misbehave --port 9000 --client-file clients.json",
      description: "Sign in at http://127.0.0.1:9000/f/ID with your client",
    },
    {
      command: "postern misbehave --faults id-token.nonce-wrong --client-file clients.json",
      description: "Get one thing wrong, for everybody",
    },
    {
      command: "postern misbehave --faults chaos --seed 7 --client-file clients.json",
      description: "Draw a fault, or none, for each sign-in",
    },
    { command: "postern misbehave --list", description: "List the faults, each with the paragraph of the client's duty" },
  ],
)
