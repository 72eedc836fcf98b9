import { createHmac } from "node:crypto"
import type { Json } from "@postern/core"
import { usernameKey } from "@postern/core/model"

/**
 * Replaces secrets by other texts of the same form. The same secret always gets the same stand-in, so that a redeemed code still equals the
 * issued one.
 */
export interface StandIns {
  /** Registers a secret that is long enough to be replaced inside any text, and returns its stand-in. */
  readonly learn: (secret: string) => string
  /** Registers a secret with a given stand-in. */
  readonly name: (secret: string, made: string) => void
  /** Registers a secret that a person may have chosen, such as a password. It is replaced only if it is the whole text. */
  readonly learnChosen: (secret: string) => string
  /** Replaces registered secrets, and anything that looks like a handle or a JWT. */
  readonly text: (text: string) => string
  /**
   * Replaces secrets in the input of a digest, which may end with a JSON list of strings. Failed attempts are counted under a digest of
   * such a list. It contains the client's name, which may also be the client's secret.
   */
  readonly digested: (text: string) => string
  /** Replaces secrets in every string of a value. */
  readonly value: (value: Json) => Json
}

const alphabets = ["BCDFGHJKLMNPQRSTVWXZ", "AEIOUY", "bcdfghjklmnpqrstvwxz", "aeiouy", "0123456789"]

const handle = /\b([a-z]_[A-Za-z0-9]{16})([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g
const jwt = /\b(eyJ[\w-]{8,})\.([\w-]*)\.([\w-]*)(?:\.([\w-]+)\.([\w-]+))?/g

/** Parses a JSON list of strings; undefined for any other text. */
const textsOf = (text: string): ReadonlyArray<string> | undefined => {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.every((each) => typeof each === "string") ? list : undefined
  } catch {
    return undefined
  }
}

/** Creates stand-ins with a key that is not stored, so that guesses of a secret cannot be checked against its stand-in. */
export const standIns = (key: Uint8Array): StandIns => {
  const anywhere = new Map<string, string>()
  const whole = new Map<string, string>()

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
    if (secret.length < 8) return learnChosen(secret)
    const known = anywhere.get(secret)
    if (known !== undefined) return known
    const made = shaped(secret)
    anywhere.set(secret, made)
    return made
  }
  const learnChosen = (secret: string): string => {
    if (secret === "") return secret
    const known = usernameKey(secret)
    // A username that is also its own password is looked up and counted by its key, so the key gets the same stand-in.
    const made = whole.get(secret) ?? `stand-in-${Buffer.from(Array.from({ length: 12 }, (_, at) => chance(known)(at))).toString("hex")}`
    whole.set(secret, made)
    if (!whole.has(known)) whole.set(known, made)
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
    const alone = whole.get(given)
    if (alone !== undefined) return alone
    // The secret of an unknown client is looked up by its name after a line break.
    const behind = given.startsWith("\n") ? whole.get(given.slice(1)) : undefined
    if (behind !== undefined) return `\n${behind}`
    let seen = patterns(given)
    for (const [secret, made] of anywhere) if (seen.includes(secret)) seen = seen.replaceAll(secret, made)
    return seen
  }
  const digested = (given: string): string => {
    const at = given.indexOf("[")
    const list = at < 0 ? undefined : textsOf(given.slice(at))
    const seen = list?.map(text)
    return list === undefined || seen === undefined || seen.every((each, index) => each === list[index])
      ? text(given)
      : `${given.slice(0, at)}${JSON.stringify(seen)}`
  }
  const value = (given: Json): Json => {
    if (typeof given === "string") return text(given)
    if (typeof given !== "object" || given === null) return given
    if (Array.isArray(given)) return given.map(value)
    return Object.fromEntries(
      Object.entries(given).map(([name, each]) => [name, name === "$secret" && typeof each === "string" ? learnChosen(each) : value(each)]),
    )
  }
  return { learn, name: (secret, made) => void anywhere.set(secret, made), learnChosen, text, digested, value }
}
