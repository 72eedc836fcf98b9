import { randomBytes } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import type { ClientMetadata } from "@postern/core/model"
import type { Action } from "../commands/lazily.ts"
import { systemCode } from "../config/file.ts"
import { isLoopbackHost } from "../config/rules/server.ts"
import { type SampleChoices, sampleJson, sampleYaml } from "../config/sample.ts"
import { asFailure, failed } from "../failure.ts"
import { ask } from "../terminal/input.ts"
import { say, styled } from "../terminal/output.ts"

type ClientKind = "web" | "spa" | "native" | "machine" | "none"

const valid = (check: (text: string) => string | undefined) => (text: string) => {
  const fault = check(text.trim())
  return fault === undefined ? Effect.succeed(text.trim()) : Effect.fail(fault)
}

const issuerFault =
  (development: boolean) =>
  (text: string): string | undefined => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || text.endsWith("/") || text.includes("?") || text.includes("#"))
      return "Write a URL without a slash, ? or # at its end."
    if (url.protocol === "https:") return undefined
    return development && url.protocol === "http:" && isLoopbackHost(url.hostname)
      ? undefined
      : development
        ? "Use https, or http on 127.0.0.1 or localhost."
        : "Use https."
  }

const uriFault = (text: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && !text.includes("#") ? undefined : "Write the URI in full, without a #."

const defaultRedirects: Readonly<Record<ClientKind, string>> = {
  web: "http://127.0.0.1:3000/callback",
  spa: "http://127.0.0.1:3000/callback",
  native: "http://127.0.0.1/callback",
  machine: "",
  none: "",
}

const freshSecret = (): string => randomBytes(32).toString("base64url")

const clientOf = (kind: ClientKind, client_id: string, redirectUri: string): ClientMetadata | undefined => {
  const person = {
    client_id,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    scope: "openid profile email offline_access",
  }
  switch (kind) {
    case "web":
      return { ...person, client_secret: freshSecret() }
    case "spa":
      return { ...person, token_endpoint_auth_method: "none" }
    case "native":
      return { ...person, application_type: "native", token_endpoint_auth_method: "none" }
    case "machine":
      return { client_id, client_secret: freshSecret(), grant_types: ["client_credentials"], response_types: [] }
    case "none":
      return undefined
  }
}

const defaults: SampleChoices = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  host: "127.0.0.1",
  port: 8080,
  tls: undefined,
  data: "./data",
  client: clientOf("web", "web", defaultRedirects.web),
}

const questions = Effect.gen(function* () {
  const development = yield* ask(
    Prompt.Select({
      message: "Where will it run?",
      choices: [
        { title: "On this machine, for development", value: true },
        { title: "Where others can reach it", value: false },
      ],
    }),
  )
  const issuer = yield* ask(
    Prompt.String({
      message: "Its public base URL (the issuer)",
      default: development ? defaults.issuer : "https://id.example.com",
      validate: valid(issuerFault(development)),
    }),
  )
  const url = new URL(issuer)
  const ends =
    url.protocol === "http:"
      ? "nobody"
      : yield* ask(
          Prompt.Select({
            message: "Who ends TLS?",
            choices: [
              { title: "A proxy in front of it", value: "proxy" as const },
              { title: "Postern itself", value: "itself" as const },
            ],
          }),
        )
  const tls =
    ends === "itself"
      ? {
          key_file: yield* ask(Prompt.String({ message: "Private key, PEM", default: "./tls/key.pem" })),
          cert_file: yield* ask(Prompt.String({ message: "Certificate chain, PEM", default: "./tls/cert.pem" })),
        }
      : undefined
  const port = yield* ask(
    Prompt.Int({
      message: "The port to listen on",
      min: 0,
      max: 65_535,
      default: url.protocol === "http:" ? Number(url.port || "80") : ends === "itself" ? 8443 : 8080,
    }),
  )
  const data = yield* ask(Prompt.String({ message: "The folder of its database", default: "./data" }))
  const kind = yield* ask(
    Prompt.Select<ClientKind>({
      message: "A first client?",
      choices: [
        { title: "A web application with a server", value: "web" },
        { title: "A single-page application", value: "spa" },
        { title: "An app on a person's device", value: "native" },
        { title: "A machine, without a person", value: "machine" },
        { title: "None yet", value: "none" },
      ],
    }),
  )
  const clientId =
    kind === "none"
      ? ""
      : yield* ask(
          Prompt.String({
            message: "Its client_id",
            default: kind,
            validate: valid((text) => (/^[\x21-\x7e]{1,200}$/.test(text) ? undefined : "Use printable ASCII without spaces.")),
          }),
        )
  const redirectUri =
    kind === "none" || kind === "machine"
      ? ""
      : yield* ask(Prompt.String({ message: "Its redirect URI", default: defaultRedirects[kind], validate: valid(uriFault) }))
  const host = development || ends === "proxy" ? "127.0.0.1" : "0.0.0.0"
  return { issuer, development, host, port, tls, data, client: clientOf(kind, clientId, redirectUri) } satisfies SampleChoices
})

const write = (file: string, text: string, force: boolean): void => {
  try {
    writeFileSync(file, text, { flag: force ? "w" : "wx", mode: 0o600 })
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw alreadyThere(file)
    throw failed(
      `${file} cannot be written${systemCode(error) === "" ? "" : ` (${systemCode(error)})`}`,
      "check the folder and this user's rights in it",
    )
  }
}

const alreadyThere = (file: string) => failed(`${file} is there already`, "give another name, or --force to replace it")

/** Asks, and writes a commented configuration. */
export const initConfig: Action<{ readonly file: string; readonly yes: boolean; readonly force: boolean }> = Effect.fnUntraced(function* ({
  file,
  yes,
  force,
}) {
  if (!/\.(jsonc?|ya?ml)$/i.test(file))
    return yield* failed(`${file} is neither JSON nor YAML by its name`, "end the name in .jsonc, .json, .yaml or .yml")
  if (existsSync(file) && !force) return yield* alreadyThere(file)
  if (!yes && !process.stdin.isTTY)
    return yield* failed("there is nobody to ask: standard input is no terminal", "give --yes to take every default")
  const choices = yes ? defaults : yield* questions
  const text = /\.ya?ml$/i.test(file) ? yield* Effect.promise(() => sampleYaml(choices)) : sampleJson(choices)
  yield* Effect.try({ try: () => write(file, text, force), catch: (error) => error }).pipe(Effect.catch(asFailure))
  const named = file === "postern.jsonc" ? "" : ` --config ${file}`
  say(`${styled("green", "✓")} wrote ${file}`)
  if (choices.client?.client_secret !== undefined)
    say(`  It holds the secret of client ${choices.client.client_id}: keep the file to yourself.`)
  say("\nNext:")
  say(`  postern user add alice${named}    a person who may sign in`)
  say(`  postern serve${named}             start the provider`)
})
