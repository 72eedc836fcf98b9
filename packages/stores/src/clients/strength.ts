import { kindFault, refuseFaults } from "@postern/core/options"
/** The bits of entropy above which a secret cannot be guessed, however fast its hash is. */
export const strongBits = 128

/** The random bits of a UUID, at most: those of version 4 (RFC 9562 §5.4). */
const bitsOfUuid = 122
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Classes of characters that generators draw from, with the size of each. */
const classes: ReadonlyArray<readonly [RegExp, number]> = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
]

/** Alphabets that are smaller than their classes, with the bits of one character: hexadecimal digits and base32 (RFC 4648). */
const alphabets: ReadonlyArray<readonly [RegExp, number]> = [
  [/^(?:[0-9a-f]*|[0-9A-F]*)$/, 4],
  [/^(?:[a-z2-7]*|[A-Z2-7]*)$/, 5],
]

/** The most bits of one character, those of base64. Other signs are not assumed to be drawn as often as letters. */
const mostBits = 6

/** The bits of one character of a text that is drawn at random from the smallest alphabet that contains it. */
const bitsDrawn = (text: string): number => {
  const signs = new Set(text.replaceAll(/[a-zA-Z0-9]/g, "")).size
  if (signs > 0 && /[a-z]/.test(text) && /[A-Z]/.test(text)) return mostBits
  const size = classes.reduce((sum, [each, count]) => sum + (each.test(text) ? count : 0), signs)
  return Math.min(mostBits, Math.log2(Math.max(1, size)), ...alphabets.flatMap(([each, bits]) => (each.test(text) ? [bits] : [])))
}

/** The bits of one further character of a natural language (Shannon, "Prediction and Entropy of Printed English", 1951, rounded up). */
const bitsOfLanguage = 1.5

/** The hundred most frequent pairs of letters in English, counted in 56 texts: 76 % of their pairs. Other languages in Latin letters are close enough. */
const frequent: ReadonlySet<string> = new Set(
  (
    "th re er he on en es or an in se at nt it ed ti is co nd te st li de to io of ha ns ar ce ve ic ts no " +
    "ou ec ne as ra le ri ro me al ke ut pe ie ng ot fo ca id ho cl ch ct us ss ac si wi pr ta op di pa ea ur " +
    "fi hi rs ma ok if ow ge so od om et un po lo am wh tr ll ef au ue ad os ig br la be ag ev mo"
  ).split(" "),
)

/** Characters that people substitute for letters. */
const disguises: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
}

/**
 * Reports whether a text has more frequent pairs than random text, where they are this share of all pairs: more than expected by this many
 * standard deviations.
 */
const hasPairs = (text: string, share: number, deviations: number): boolean => {
  const pairs = Array.from(text.slice(1), (letter, at) => `${text[at]}${letter}`).filter((pair) => /^[a-z]{2}$/.test(pair))
  const expected = share * pairs.length
  return pairs.filter((pair) => frequent.has(pair)).length > expected + deviations * Math.sqrt(expected * (1 - share))
}

/**
 * Reports whether a text consists of words, disguised ones included. In random text, 15 of 100 pairs are frequent, and up to 22 if digits
 * are taken for letters, because they stand for frequent ones. Random text rarely lacks every digit that stands for no letter.
 */
const isLanguage = (secret: string): boolean => {
  // No generator draws spaces, or letters beyond ASCII, whose frequencies are not known.
  if (/[^!-~]/.test(secret)) return true
  const text = secret.toLowerCase()
  const undisguised = Array.from(text, (character) => disguises[character] ?? character).join("")
  return hasPairs(text, 0.15, 3.5) || hasPairs(undisguised, 0.22, /[2689]/.test(text) ? 3.5 : 2.2)
}

const keyboard = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop"]

/** Reports whether a character continues a sequence of every `apart`-th one: 1 for `abc`, 2 for the digits and the letters of `1a2b3c`. */
const follows = (text: string, at: number, apart: number): boolean => {
  const step = text.charCodeAt(at) - text.charCodeAt(at - apart)
  return Math.abs(step) <= 1 && text.charCodeAt(at - apart) - text.charCodeAt(at - 2 * apart) === step
}

/** Counts the characters that previous ones predict: repetitions, sequences, two that alternate, and neighbors on a keyboard. */
const foretold = (text: string): number => {
  const seen = new Set<string>()
  let count = 0
  for (let at = 2; at < text.length; at++) {
    const three = text.slice(at - 2, at + 1)
    if (seen.has(three) || follows(text, at, 1) || follows(text, at, 2) || keyboard.some((row) => row.includes(three))) count++
    seen.add(three)
  }
  return count
}

/** The share of predictable characters that is ignored, because random texts contain a few. */
const forgiven = 1 / 8

/**
 * Estimates the bits of entropy of a secret, rather too low than too high. A text is assumed to be drawn at random from the smallest
 * alphabet that contains it, without the separators of its groups, unless it has the letter pairs of a language. Repetitions and sequences
 * are subtracted. The estimate cannot detect a published secret or a digest of a guessable one.
 */
export const secretBits = (secret: string): number => {
  refuseFaults("secretBits", kindFault("secret", secret, "text"))
  if (uuid.test(secret)) return bitsOfUuid
  // Generators of letters of both cases may draw the separators too.
  const plain = secret.replaceAll(/[-_.:]/g, "")
  const text = /^(?:[a-z0-9]*|[A-Z0-9]*)$/.test(plain) ? plain : secret
  const drawn = bitsDrawn(text)
  // Digits and hexadecimal ones are exempt, because they form no words.
  const bits = drawn > 4 && isLanguage(secret) ? bitsOfLanguage : drawn
  const told = foretold(text.toLowerCase())
  return bits * (told <= text.length * forgiven ? text.length : text.length - told)
}

/**
 * Reports whether a person may have chosen a client's secret. A secret of fewer than {@link strongBits} bits could be guessed from a fast
 * digest, so it is hashed slowly, and an operator should replace it. `postern client add` and `openssl rand -base64 32` make strong ones.
 */
export const isWeakSecret = (secret: string): boolean => secretBits(secret) < strongBits
