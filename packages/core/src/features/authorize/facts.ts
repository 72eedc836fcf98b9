import type { Client, Instant, JsonObject, Settings } from "../../model/index.ts"
import { toldAlgorithm } from "../../rules/toldAlgorithm.ts"
import { type AuthorizeRequest, gives, modeOf } from "./parse.ts"

type Facts = Readonly<Record<string, string>>

interface Requested {
  readonly client: Client
  readonly settings: Pick<Settings, "responseModes">
}

/** Facts about a request for its trail, by which a client's readiness for a profile is judged. */
export const requestFacts = (q: AuthorizeRequest & Requested): Facts => ({
  ...(gives(q, "code")
    ? { "code challenge": q.codeChallenge === undefined ? "none" : q.codeChallengeMethod === "S256" ? "S256" : "plain" }
    : {}),
  ...(q.responseType === undefined ? {} : { "response type": q.responseType }),
  "response mode": modeOf(q, q.client, q.settings).name,
})

/** The fact that a request carries no request object. */
export const noObject: Facts = { "request object": "none" }

/** Reports whether a request object states a lifetime of at most an hour (FAPI 2.0 Message Signing §5.3.1, FAPI 1.0 Part 2 §5.2.2). */
export const livesAnHour = ({ aud, nbf, exp }: JsonObject, now: Instant): boolean =>
  typeof nbf === "number" && typeof exp === "number" && exp - nbf <= 3600 && now - nbf <= 3600 && aud !== undefined

/** Facts about a request object that could be read, whether or not it is accepted. */
export const objectFacts = (header: JsonObject, said: JsonObject | undefined, now: Instant): Facts => ({
  "request object": toldAlgorithm(header["alg"]),
  "request object life": said !== undefined && livesAnHour(said, now) ? "an hour at most" : "longer, or not stated",
})
