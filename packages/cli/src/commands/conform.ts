import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import { command } from "./command.ts"
import { argument, number, text, texts, toggle } from "./options.ts"

const issuer = argument("issuer", "The issuer of a provider").pipe(Argument.withDefault(undefined))

const whole = (name: string, metavar: string, description: string) =>
  number(name, metavar, description, { from: 1, to: Number.MAX_SAFE_INTEGER }, "a whole number above 0").pipe(Flag.withDefault(undefined))

/** `postern conform [ISSUER]`. */
export const conform = command(
  "conform",
  "Test a provider against the paragraphs of the specifications. This is not a certification: only the OpenID Foundation certifies",
  {
    issuer,
    inProcess: toggle("in-process", "Test Postern itself, in this process and in simulated time"),
    compare: text("compare", "ISSUER", "Also test another provider, and show where the two differ"),
    clientFile: text("client-file", "FILE", "The clients, the person and the pages of the provider"),
    requirements: text("requirements", "SET", "The set of requirements (default: all; --list shows them)"),
    only: texts("only", "ID", "Run only the requirement with this id, or those of this area"),
    format: text("format", "NAME", "Also write a report: junit, sarif, tap, json, html or markdown"),
    out: text("out", "FILE", "The file for the report (default: stdout)"),
    expected: text("expected", "FILE", "Known failures: a list of id, reason and until (YYYY-MM-DD)"),
    allowWrite: toggle(
      "allow-write",
      "Also run tests that leave data behind, and register clients for missing roles if the provider supports dynamic registration",
    ),
    manual: toggle("manual", "Let a person sign in: prints each address to open, and asks for the address that the browser ends at"),
    wait: whole("wait", "SECONDS", "Seconds that --manual waits for the person each time (default: 300)"),
    rate: whole("rate", "N", "Maximum requests per second (default: 50; 500 on this machine)"),
    timeout: whole("timeout", "MS", "Milliseconds to wait for an answer (default: 10000)"),
    prepare: text(
      "prepare",
      "DIR",
      "Write the clients to register (clients.json) and the matching --client-file (client-file.json) to this folder, and test nothing",
    ),
    for: text("for", "NAME", "With --prepare, also write a script that creates the clients in keycloak or hydra"),
    callback: text(
      "callback",
      "URL",
      "With --prepare, the clients' redirect URI; --manual listens on it if it is local, such as http://127.0.0.1:8765/callback",
    ),
    list: toggle("list", "List the sets and the requirements, and run none"),
  },
  async () => (await import("../actions/conform.ts")).testProvider,
  {
    "postern conform --in-process": "Test Postern itself",
    "postern conform https://op.example --client-file clients.json": "Test a provider over HTTP",
    "postern conform https://op.example --client-file clients.json --manual --only code": "Sign in by hand",
    "postern conform --in-process --format junit --out report.xml": "Write a report for a CI service",
  },
)
