import type { Message } from "@postern/core"
import type { StandIns } from "./standIns.ts"

/** Parameters whose values were drawn by chance, here or at a client. */
const drawn = new Set([
  "access_token",
  "actor_token",
  "assertion",
  "client_assertion",
  "code",
  "code_verifier",
  "device_code",
  "id_token",
  "id_token_hint",
  "logout_token",
  "refresh_token",
  "registration_access_token",
  "subject_token",
  "token",
  "user_code",
])

/** Parameters whose values people may have chosen. */
const chosen = new Set(["client_secret", "password"])

/** Headers that the endpoints read; every other one is left out, since nothing says that it is no secret. */
const read = new Set([
  "accept",
  "accept-language",
  "authorization",
  "content-type",
  "cookie",
  "dpop",
  "host",
  "origin",
  "referer",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "user-agent",
])

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return text
  }
}

/** A secret in the place of which another stands: a JWT or a handle by what it is, any other as a whole. */
const learned = (secret: string, standIns: StandIns): string => {
  const seen = standIns.text(secret)
  // A JWT without a signature has nothing to hide.
  return seen === secret && !/^eyJ[\w-]{8,}\.[\w-]*\.$/.test(secret) ? standIns.learn(secret) : seen
}

/** A user code is looked up without its dash and in capitals (RFC 8628 §6.1): both forms of it stand for one another still. */
const userCode = (typed: string, standIns: StandIns): string => {
  const letters = Array.from(standIns.learn(typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")))
  const made = typed.toUpperCase().replaceAll(/[A-Z0-9]/g, () => letters.shift() ?? "")
  standIns.name(typed, made)
  return made
}

const parameters = (text: string, standIns: StandIns): string =>
  text
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=")
      const name = decoded(pair.slice(0, Math.max(at, 0)))
      const value = pair.slice(at + 1)
      if (at < 0) return standIns.text(pair)
      if (name === "user_code") return `${pair.slice(0, at)}=${encodeURIComponent(userCode(decoded(value), standIns))}`
      if (drawn.has(name)) return `${pair.slice(0, at)}=${encodeURIComponent(learned(decoded(value), standIns))}`
      if (chosen.has(name)) return `${pair.slice(0, at)}=${encodeURIComponent(standIns.learnChosen(decoded(value)))}`
      const seen = standIns.text(decoded(value))
      return seen === decoded(value) ? pair : `${pair.slice(0, at)}=${encodeURIComponent(seen)}`
    })
    .join("&")

const authorization = (value: string, standIns: StandIns): string => {
  const [, scheme = "", rest = ""] = /^(\S+) +(.*)$/s.exec(value) ?? []
  if (scheme === "") return value.length < 8 ? value : learned(value, standIns)
  if (scheme.toLowerCase() !== "basic") return `${scheme} ${learned(rest, standIns)}`
  const pair = Buffer.from(rest, "base64").toString()
  const at = pair.indexOf(":")
  // One that is broken is another broken one: nobody can tell what of it is a secret.
  if (at < 0 || pair.includes("\uFFFD") || Buffer.from(pair).toString("base64") !== rest) return `${scheme} AAAA`
  const other = standIns.learnChosen(decoded(pair.slice(at + 1)))
  return `${scheme} ${Buffer.from(`${standIns.text(pair.slice(0, at))}:${encodeURIComponent(other)}`).toString("base64")}`
}

/** The pieces of cookies that are long enough to be chance: of one that has several, each by itself. */
const cookies = (value: string, standIns: StandIns): string =>
  standIns.text(value).replaceAll(/(?<![\w-])[\w-]{20,64}(?![\w-])/g, (piece, at: number, all: string) =>
    // The name of a cookie is none, and a handle has its stand-in.
    /^(?:__Host-|__Secure-)/.test(piece) || all[at + piece.length] === "=" || /^[carsibdup]_[A-Za-z0-9]{16}/.test(piece)
      ? piece
      : standIns.learn(piece),
  )

const header = (name: string, value: string, standIns: StandIns): string => {
  if (name === "authorization") return authorization(value, standIns)
  return name === "cookie" ? cookies(value, standIns) : standIns.text(value)
}

/** A message without its secrets. `also` names headers that features read. */
export const sealedMessage = (message: Message, also: ReadonlySet<string>, standIns: StandIns): Message => {
  // A secret may stand elsewhere too, before the place that tells it to be one.
  sealedOnce(message, also, standIns)
  return sealedOnce(message, also, standIns)
}

const sealedOnce = (message: Message, also: ReadonlySet<string>, standIns: StandIns): Message => {
  const isForm = message.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? true
  const headers = Object.entries(message.headers).flatMap(([name, value]) =>
    value === undefined || !(read.has(name) || also.has(name)) ? [] : [[name, header(name, value, standIns)] as const],
  )
  const [query, body] = [parameters(message.query, standIns), isForm ? parameters(message.body, standIns) : standIns.text(message.body)]
  return { ...message, path: standIns.text(message.path), query, body, headers: Object.fromEntries(headers) }
}
