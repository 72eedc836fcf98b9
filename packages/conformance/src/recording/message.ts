import { clientFieldsOf, defaultFeatures, type Json, registration } from "@postern/core"
import { type CookieName, type Message, cookieName, isForm, isJson, readObject } from "@postern/core/wire"
import { drawnNames } from "../drawnNames.ts"
import type { StandIns } from "./standIns.ts"

/** Parameters whose values may have been chosen by a person. */
const chosen = new Set(["client_secret", "password"])

/** Headers that the endpoints read. All others are omitted, because they may contain secrets. */
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

/** Replaces a secret. JWTs and handles are recognized by their form, anything else is replaced as a whole. */
const learned = (secret: string, standIns: StandIns): string => {
  const seen = standIns.text(secret)
  // A JWT without a signature contains nothing to hide.
  return seen === secret && !/^eyJ[\w-]{8,}\.[\w-]*\.$/.test(secret) ? standIns.learn(secret) : seen
}

/** A user code is looked up in upper case and without its dash (RFC 8628 §6.1), so both forms get matching stand-ins. */
const userCode = (typed: string, standIns: StandIns): string => {
  const code = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, "")
  // A shorter one was never issued.
  if (code.length < 8) return typed
  const letters = Array.from(standIns.learn(code))
  const made = typed.toUpperCase().replaceAll(/[A-Z0-9]/g, () => letters.shift() ?? "")
  standIns.name(typed, made)
  return made
}

/** Replaces secrets in a value that is percent-encoded. */
const reencoded = (encoded: string, standIns: StandIns): string => {
  const given = decoded(encoded)
  const seen = standIns.text(given)
  return seen === given ? encoded : encodeURIComponent(seen)
}

const parameter = (pair: string, standIns: StandIns): string => {
  const at = pair.indexOf("=")
  const name = decoded(pair.slice(0, Math.max(at, 0))).toLowerCase()
  const value = pair.slice(at + 1)
  if (at < 0) return standIns.text(pair)
  if (name === "user_code") return `${pair.slice(0, at)}=${encodeURIComponent(userCode(decoded(value), standIns))}`
  if (drawnNames.has(name)) return `${pair.slice(0, at)}=${encodeURIComponent(learned(decoded(value), standIns))}`
  if (chosen.has(name)) return `${pair.slice(0, at)}=${encodeURIComponent(standIns.learnChosen(decoded(value)))}`
  return `${pair.slice(0, at)}=${reencoded(value, standIns)}`
}

const parameters = (text: string, standIns: StandIns): string =>
  text
    .split("&")
    .map((pair) => parameter(pair, standIns))
    .join("&")

const authorization = (value: string, standIns: StandIns): string => {
  const [, scheme = "", rest = ""] = /^(\S+) +(.*)$/s.exec(value) ?? []
  if (scheme === "") return value.length < 8 ? value : learned(value, standIns)
  if (scheme.toLowerCase() !== "basic") return `${scheme} ${learned(rest, standIns)}`
  const pair = Buffer.from(rest, "base64").toString()
  const at = pair.indexOf(":")
  // Malformed credentials are replaced by other malformed ones, because it is unknown which part is secret.
  if (at < 0 || pair.includes("\uFFFD") || Buffer.from(pair).toString("base64") !== rest) return `${scheme} AAAA`
  const other = standIns.learnChosen(decoded(pair.slice(at + 1)))
  return `${scheme} ${Buffer.from(`${reencoded(pair.slice(0, at), standIns)}:${encodeURIComponent(other)}`).toString("base64")}`
}

/** The cookies that the provider sets. */
const ownCookies = Object.keys({ session: 0, browser: 0, language: 0, known: 0, state: 0 } satisfies Record<
  CookieName,
  0
>) as ReadonlyArray<CookieName>

/** Keeps the provider's own cookies. A browser sends those of every application on the host. */
const cookies = (value: string, issuer: string, standIns: StandIns): string => {
  const names = ownCookies.map((name) => `${cookieName(name, issuer)}=`)
  return value
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => names.some((name) => pair.startsWith(name)))
    .map((pair) => cookie(pair, standIns))
    .join("; ")
}

/** Replaces each part of a cookie that is long enough to be random. */
const cookie = (value: string, standIns: StandIns): string =>
  standIns.text(value).replaceAll(/(?<![\w-])[\w-]{20,64}(?![\w-])/g, (piece, at: number, all: string) =>
    // A cookie's name is not random, and a handle already has its stand-in.
    /^(?:__Host-|__Secure-)/.test(piece) || all[at + piece.length] === "=" || /^[carsibdupgn]_[A-Za-z0-9]{16}/.test(piece)
      ? piece
      : standIns.learn(piece),
  )

/** Reduces the referring page to its origin, because its path and query may contain a secret. */
const originOf = (uri: string): string | undefined => {
  const origin = URL.canParse(uri) ? new URL(uri).origin : "null"
  return origin === "null" ? undefined : origin
}

/** The data needed to remove the secrets from a message. */
export interface Sealing {
  /** Headers that features read. */
  readonly also: ReadonlySet<string>
  /** The issuer, whose cookies are kept. */
  readonly issuer: string
  readonly standIns: StandIns
}

const header = (name: string, value: string, { issuer, standIns }: Sealing): string | undefined => {
  if (name === "authorization") return authorization(value, standIns)
  if (name === "cookie") return cookies(value, issuer, standIns) || undefined
  return name === "referer" ? originOf(value) : standIns.text(value)
}

/** Removes the secrets from a message. */
export const sealedMessage = (message: Message, sealing: Sealing): Message => {
  // The first pass finds the secrets, because a secret may also occur before the place that identifies it.
  sealedOnce(message, sealing)
  return sealedOnce(message, sealing)
}

/**
 * Replaces a body that is not a form by its length, because it is unknown which parts are secret. The parameters that pages read even there
 * are kept.
 */
const unread = (body: string, standIns: StandIns): string => {
  const kept = body
    .split("&")
    .flatMap((pair) => {
      const [, name = "", value = ""] = /^([a-z_]+)=(.+)$/s.exec(pair) ?? []
      if (name === "interaction") return [`${name}=${encodeURIComponent(learned(decoded(value), standIns))}`]
      return name === "user_code" ? [parameter(pair, standIns)] : []
    })
    .join("&")
  return kept === "" ? "-".repeat(body.length) : `${kept}&${"-".repeat(Math.max(body.length - kept.length - 1, 0))}`
}

/** Names of client metadata. A client's own metadata at registration is not secret (RFC 7591 §2). */
const stated: ReadonlySet<string> = new Set([
  ...clientFieldsOf({ features: [...defaultFeatures, registration()] }).map(({ name }) => name),
  "software_statement",
])

/** Private members of a key (RFC 7518 §6). */
const ofPrivateKeys = new Set(["d", "p", "q", "dp", "dq", "qi", "k"])

const metadata = (value: Json, standIns: StandIns): Json => {
  if (typeof value === "string") return standIns.text(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((each) => metadata(each, standIns))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      ofPrivateKeys.has(name) && typeof each === "string" ? learned(each, standIns) : metadata(each, standIns),
    ]),
  )
}

/** Removes the secrets from a JSON object. Client metadata is kept; of other members only the name is. */
const registered = (body: string, standIns: StandIns): string | undefined => {
  const found = readObject(body)
  if (found === undefined) return undefined
  const members = Object.entries(found).map(([name, value]): readonly [string, Json] => {
    // The secret of a client that registered itself is random, and is also replaced inside other texts.
    if ((chosen.has(name) || drawnNames.has(name)) && typeof value === "string") return [name, learned(value, standIns)]
    return [name, stated.has(name.replace(/#.*$/s, "")) ? metadata(value, standIns) : value === null ? null : "-"]
  })
  return JSON.stringify(Object.fromEntries(members))
}

const bodyOf = ({ headers, body }: Message, standIns: StandIns): string => {
  if (isForm(headers["content-type"])) return parameters(body, standIns)
  return (isJson(headers["content-type"]) ? registered(body, standIns) : undefined) ?? unread(body, standIns)
}

const sealedOnce = (message: Message, sealing: Sealing): Message => {
  const { also, standIns } = sealing
  const headers = Object.entries(message.headers).flatMap(([name, value]) => {
    const kept = value === undefined || !(read.has(name) || also.has(name)) ? undefined : header(name, value, sealing)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  const query = parameters(message.query, standIns)
  const body = bodyOf(message, standIns)
  return { ...message, path: standIns.text(message.path), query, body, headers: Object.fromEntries(headers) }
}
