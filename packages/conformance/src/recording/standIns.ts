import { createHmac } from "node:crypto"
import type { Json } from "@postern/core"

/**
 * Replaces secrets by other texts of the same form. The same secret always gets the same stand-in, so that a redeemed code still equals the
 * issued one.
 */
export interface StandIns {
  /** Returns the stand-in of a random secret. One of 8 or more characters is registered, so that it is replaced inside any text. */
  readonly learn: (secret: string) => string
  /** Registers a secret with a given stand-in. */
  readonly name: (secret: string, made: string) => void
  /**
   * Returns the stand-in of a secret that a person may have chosen, such as a password. It may be any text, even `password`, so it is
   * replaced only where a secret is expected: by the caller, behind `$secret`, and at the end of the input of a digest.
   */
  readonly learnChosen: (secret: string) => string
  /** Replaces registered secrets, and anything that looks like a handle or a JWT. */
  readonly text: (text: string) => string
  /** Replaces secrets in what is taken for a token, and may be one of fewer than 8 characters. */
  readonly token: (text: string) => string
  /** Replaces secrets in the input of a digest, which may end with a chosen secret after a line break. */
  readonly digested: (text: string) => string
  /** Replaces secrets in every string of a value. */
  readonly value: (value: Json) => Json
}

const alphabets = ["BCDFGHJKLMNPQRSTVWXZ", "AEIOUY", "bcdfghjklmnpqrstvwxz", "aeiouy", "0123456789"]

const handle = /\b([a-z]_[A-Za-z0-9]{16})([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g
const jwt = /\b(eyJ[\w-]{8,})\.([\w-]*)\.([\w-]*)(?:\.([\w-]+)\.([\w-]+))?/g

/**
 * Creates stand-ins with a key that is not stored, so that guesses of a secret cannot be checked against its stand-in. A part of the public
 * words, which a request is decided by, is never a secret: a request may send `authorization_code` as its code.
 */
export const standIns = (key: Uint8Array, publicWords = ""): StandIns => {
  const anywhere = new Map<string, string>()
  const short = new Map<string, string>()
  const chosen = new Map<string, string>()

  /** A stream of pseudorandom bytes derived from a secret. */
  const chance = (secret: string): ((at: number) => number) => {
    const blocks: Array<Buffer> = []
    return (at) => {
      const block = Math.floor(at / 32)
      blocks[block] ??= createHmac("sha256", key).update(`${block} ${secret}`).digest()
      return blocks[block][at % 32] ?? 0
    }
  }
  // Consonants stay consonants, so that a user code stays valid. The last letter is kept, because it has bits that must be 0 in base64url.
  const shaped = (secret: string): string => {
    const byte = chance(secret)
    const letters = Array.from(secret)
    const kept = letters.length < 20 ? letters.length : letters.length - 1
    const made = letters.map((letter, at) => {
      const alphabet = at < kept ? alphabets.find((each) => each.includes(letter)) : undefined
      return alphabet === undefined ? letter : (alphabet[byte(at) % alphabet.length] ?? letter)
    })
    return made.join("")
  }
  const learn = (secret: string): string => {
    const known = anywhere.get(secret)
    if (known !== undefined) return known
    if (publicWords.includes(secret)) return secret
    const made = shaped(secret)
    ;(secret.length < 8 ? short : anywhere).set(secret, made)
    return made
  }
  const learnChosen = (secret: string): string => {
    if (secret === "") return secret
    const byte = chance(secret)
    const made = chosen.get(secret) ?? `stand-in-${Buffer.from(Array.from({ length: 12 }, (_, at) => byte(at))).toString("hex")}`
    chosen.set(secret, made)
    return made
  }
  const patterns = (given: string): string =>
    given
      .replaceAll(handle, (_, name: string, secret: string) => `${name}${learn(secret)}`)
      // A signed JWT keeps its claims and loses its signature. An encrypted JWT keeps only its header.
      .replaceAll(jwt, (_, header: string, second: string, third: string, fourth?: string, fifth?: string) =>
        fourth === undefined || fifth === undefined
          ? `${header}.${said(second)}.${shaped(third)}`
          : `${header}.${shaped(second)}.${shaped(third)}.${shaped(fourth)}.${shaped(fifth)}`,
      )
  /**
   * Removes the secrets from the claims of a signed JWT, such as the `ath` of a DPoP proof, which is the digest of an access token (RFC
   * 9449 §4.2).
   */
  const said = (payload: string): string => {
    const given = Buffer.from(payload, "base64url").toString()
    const seen = text(given)
    return seen === given ? payload : Buffer.from(seen).toString("base64url")
  }
  const text = (given: string): string => {
    let seen = patterns(given)
    for (const [secret, made] of anywhere) if (seen.includes(secret)) seen = seen.replaceAll(secret, made)
    return seen
  }
  const token = (given: string): string => short.get(given) ?? text(given)
  const digested = (given: string): string => {
    for (const [secret, made] of chosen) if (given.endsWith(`\n${secret}`)) return `${text(given.slice(0, -secret.length))}${made}`
    return text(given)
  }
  const value = (given: Json): Json => {
    if (typeof given === "string") return text(given)
    if (typeof given !== "object" || given === null) return given
    if (Array.isArray(given)) return given.map(value)
    return Object.fromEntries(
      Object.entries(given).map(([name, each]) => [name, name === "$secret" && typeof each === "string" ? learnChosen(each) : value(each)]),
    )
  }
  const name = (secret: string, made: string): void => {
    if (!publicWords.includes(secret)) anywhere.set(secret, made)
  }
  return { learn, name, learnChosen, text, token, digested, value }
}
