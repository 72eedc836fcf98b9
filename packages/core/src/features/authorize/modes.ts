import type { Client, Profile, ResponseMode, Settings } from "../../model/index.ts"
import { allows, profileOf } from "../../rules/profile.ts"
import { query, responseModes } from "../response-modes/index.ts"
import { type AuthorizeRequest, gives, modeOf } from "./parse.ts"

type Modes = Pick<Settings, "responseModes" | "profile" | "issuer">

/**
 * Reports whether a client allows a response mode for its responses. Modes are compared by their resolved names: `jwt` is `query.jwt` for a
 * code (JARM §2.3.4).
 */
export const isOwnMode = (q: AuthorizeRequest, { name }: ResponseMode, client: Client, settings: Modes): boolean => {
  const allowed = responseModes.of(client)
  return allowed === undefined || allowed.some((responseMode) => modeOf({ ...q, responseMode }, client, settings).name === name)
}

/** Reports whether a profile allows responses in a mode. */
export const takesMode = (q: AuthorizeRequest, { name, sign }: ResponseMode, { parameters: { responses } }: Profile): boolean =>
  ({
    "by-client": true,
    "query-or-jwt": sign !== undefined || name === query.name,
    jwt: sign !== undefined,
    "jwt-or-id-token": sign !== undefined || gives(q, "id_token"),
  })[responses]

/** The algorithm that signs responses in a mode to a client; undefined if the mode signs none. */
const algorithmOf = ({ sign }: ResponseMode, client: Client, { issuer }: Modes): string | undefined =>
  sign?.([], { client, redirectUri: "", issuer, now: 0 }).alg

/** Reports whether a profile allows the algorithm that signs responses in a mode to a client. */
export const takesAlgorithm = (mode: ResponseMode, client: Client, settings: Modes): boolean => {
  const alg = algorithmOf(mode, client, settings)
  return alg === undefined || allows(profileOf(client, settings).parameters.algorithms, alg)
}

/**
 * The response mode of a request: the requested one or, if its client or the client's profile refuses that mode, one that both allow. The
 * error that reports the refusal is thus protected like any other response (JARM §2.1, FAPI 2.0 Message Signing §5.4).
 */
export const answeringMode = (q: AuthorizeRequest, client: Client, settings: Modes): ResponseMode => {
  const profile = profileOf(client, settings)
  const suits = (mode: ResponseMode): boolean =>
    isOwnMode(q, mode, client, settings) && takesMode(q, mode, profile) && takesAlgorithm(mode, client, settings)
  const asked = modeOf(q, client, settings)
  if (suits(asked)) return asked
  const plain = modeOf({ ...q, responseMode: undefined }, client, settings)
  const listed = (responseModes.of(client) ?? ["jwt"]).filter((name) => settings.responseModes.has(name))
  const others = listed.map((responseMode) => modeOf({ ...q, responseMode }, client, settings))
  return [plain, ...others].find(suits) ?? (takesAlgorithm(asked, client, settings) ? asked : plain)
}
