import type { ClientMetadata } from "@postern/core/model"
import { randomBytes } from "node:crypto"
import { checkConfig } from "../config/check.ts"
import { type SampleChoices, sampleJson } from "../config/sample.ts"
import { surroundingsOf } from "../config/surroundings.ts"

/** The kinds of client that a first configuration may have. */
export type ClientKind = "web" | "spa" | "native" | "machine" | "none"

const freshSecret = (): string => randomBytes(32).toString("base64url")

/** Suggests a redirect URI for a kind of client: on this machine in development, else on its own host. */
export const likelyRedirect = (kind: ClientKind, development: boolean): string => {
  if (kind === "native") return "http://127.0.0.1/callback"
  return development ? "http://127.0.0.1:3000/callback" : "https://app.example.com/callback"
}

/** The signing algorithms offered for a first client. RS256 is the default for clients that name none (OpenID Connect Registration §2). */
export type TokenSigning = "ES256" | "EdDSA" | "RS256"

/** Returns the registration of a first client, or undefined for none. */
export const clientOf = (
  kind: ClientKind,
  client_id: string,
  redirectUri: string,
  signing: TokenSigning = "ES256",
): ClientMetadata | undefined => {
  const accessToken = signing === "RS256" ? {} : { access_token_signed_response_alg: signing }
  const idToken = signing === "RS256" ? {} : { id_token_signed_response_alg: signing }
  const person = {
    client_id,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code", "refresh_token"],
    scope: "openid profile email offline_access",
    ...idToken,
    ...accessToken,
  }
  switch (kind) {
    case "web":
      return { ...person, client_secret: freshSecret() }
    case "spa":
      return { ...person, token_endpoint_auth_method: "none" }
    case "native":
      return { ...person, application_type: "native", token_endpoint_auth_method: "none" }
    case "machine":
      return { client_id, client_secret: freshSecret(), grant_types: ["client_credentials"], response_types: [], ...accessToken }
    case "none":
      return undefined
  }
}

/** The answers with `--yes`: on this machine, with a web application. */
export const defaultAnswers: SampleChoices = {
  issuer: "http://127.0.0.1:8080",
  development: true,
  host: "127.0.0.1",
  port: 8080,
  tls: undefined,
  data: "./data",
  client: clientOf("web", "web", likelyRedirect("web", true)),
}

/** The configuration key of an answer. */
export type AnswerKey = "issuer" | "tls.key_file" | "tls" | "data" | "clients"

/**
 * Returns the fault that `check-config` would report for an answer, on one line, or undefined if there is none. `choices` are the answers
 * so far, with defaults for the remaining questions. `file` is the configuration file, against whose folder paths are resolved.
 */
export const answerFault = async (file: string, choices: SampleChoices, key: AnswerKey): Promise<string | undefined> => {
  const { faults } = await checkConfig("answers.json", sampleJson(choices), surroundingsOf(file))
  const fault = faults.find(({ path }) => path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`))
  if (fault === undefined) return undefined
  // Most messages go on from the setting, such as "is http"; those about a file or a scheme begin with its name.
  const hasSubject = /^\S*[./:]/.test(fault.message)
  return `${hasSubject ? "" : "It "}${fault.message}: ${fault.hint.replace(/\.$/, "")}.`
}
