import * as Effect from "effect/Effect"
import type { SampleChoices } from "../config/sample.ts"
import { type AnswerKey, answerFault, type ClientKind, clientOf, defaultAnswers, likelyRedirect, type TokenSigning } from "./answers.ts"

/** One of several choices. */
export interface Choice<A> {
  readonly title: string
  readonly value: A
}

/** Asks the user. `fault` returns the fault of an answer, after which the question is repeated. */
export interface Asker<R> {
  readonly select: <const A>(message: string, choices: ReadonlyArray<Choice<A>>) => Effect.Effect<A, never, R>
  readonly text: (
    message: string,
    likely: string,
    fault: (answer: string) => Promise<string | undefined>,
  ) => Effect.Effect<string, never, R>
  readonly port: (message: string, likely: number) => Effect.Effect<number, never, R>
}

const clientKinds: ReadonlyArray<Choice<ClientKind>> = [
  { title: "A web application with a server", value: "web" },
  { title: "A single-page application", value: "spa" },
  { title: "An app on a person's device", value: "native" },
  { title: "A machine, without a user", value: "machine" },
  { title: "None yet", value: "none" },
]

const signings: ReadonlyArray<Choice<TokenSigning>> = [
  { title: "ES256: the least work for this server; most libraries support it", value: "ES256" },
  { title: "EdDSA (Ed25519): little work for this server; fewer libraries support it", value: "EdDSA" },
  { title: "RS256: several times the work; every OpenID Connect library supports it", value: "RS256" },
]

/** Asks for everything that a first configuration needs. Each answer is checked by the rules of the configuration. */
export const questions = <R>(asker: Asker<R>, file: string): Effect.Effect<SampleChoices, never, R> =>
  Effect.gen(function* () {
    const text = (message: string, likely: string, key: AnswerKey, choicesWith: (answer: string) => SampleChoices) =>
      asker.text(message, likely, (answer) => answerFault(file, choicesWith(answer), key))
    const development = yield* asker.select("Where will it run?", [
      { title: "On this machine, for development", value: true },
      { title: "Where others can reach it", value: false },
    ])
    const start = { ...defaultAnswers, development, client: undefined }
    const likelyIssuer = development ? start.issuer : "https://id.example.com"
    const issuer = yield* text("Its public base URL (the issuer)", likelyIssuer, "issuer", (issuer) => ({ ...start, issuer }))
    const isHttp = new URL(issuer).protocol === "http:"
    const ends = isHttp
      ? "nobody"
      : yield* asker.select("Where does TLS end?", [
          { title: "At a proxy in front of it", value: "proxy" },
          { title: "At Postern itself, with a certificate on this machine", value: "itself" },
          { title: "At Postern itself, once there is a certificate", value: "later" },
        ])
    const tls = ends === "itself" ? yield* certificate((key, tls) => answerFault(file, { ...start, issuer, tls }, key), asker) : undefined
    const likelyPort = isHttp ? Number(new URL(issuer).port || "80") : tls === undefined ? 8080 : 8443
    const port = yield* asker.port("The port to listen on", likelyPort)
    const host = development || tls === undefined ? "127.0.0.1" : "0.0.0.0"
    const served = { ...start, issuer, tls, host, port }
    const data = yield* text("The folder of its database", "./data", "data", (data) => ({ ...served, data }))
    const kind = yield* asker.select("A first client?", clientKinds)
    if (kind === "none") return { ...served, data }
    const likelyUri = likelyRedirect(kind, development)
    const signing = yield* asker.select("How should tokens be signed?", signings)
    const withClient = (clientId: string, redirectUri: string) => ({
      ...served,
      data,
      client: clientOf(kind, clientId, redirectUri, signing),
    })
    const clientId = yield* text("Its client_id", kind, "clients", (clientId) => withClient(clientId, likelyUri))
    if (kind === "machine") return withClient(clientId, "")
    const redirectUri = yield* text("Its redirect URI", likelyUri, "clients", (redirectUri) => withClient(clientId, redirectUri))
    return withClient(clientId, redirectUri)
  })

type Tls = NonNullable<SampleChoices["tls"]>

const certificate = <R>(fault: (key: AnswerKey, tls: Tls) => Promise<string | undefined>, { text }: Asker<R>) =>
  Effect.gen(function* () {
    const cert_file = "./tls/cert.pem"
    const key_file = yield* text("Private key, PEM", "./tls/key.pem", (key_file) => fault("tls.key_file", { key_file, cert_file }))
    return { key_file, cert_file: yield* text("Certificate chain, PEM", cert_file, (cert_file) => fault("tls", { key_file, cert_file })) }
  })
