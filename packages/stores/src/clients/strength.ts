/** The bits of entropy above which a secret cannot be guessed, however fast its hash is. */
export const strongBits = 128

/** The alphabets that generators draw from, smallest first, with the bits of one character of each. */
const alphabets: ReadonlyArray<readonly [RegExp, number]> = [
  [/^[0-9]*$/, Math.log2(10)],
  [/^(?:[0-9a-f]*|[0-9A-F]*)$/, 4],
  [/^(?:[a-z]*|[A-Z]*)$/, Math.log2(26)],
  [/^(?:[a-z0-9]*|[A-Z0-9]*)$/, Math.log2(36)],
  [/^[a-zA-Z]*$/, Math.log2(52)],
  [/^[a-zA-Z0-9]*$/, Math.log2(62)],
]

/**
 * The bits of one character of any other text, base64 included. Characters outside base64 are not assumed to be drawn as often as others.
 */
const mostBits = 6

/** The bits of one further character of a natural language (Shannon, "Prediction and Entropy of Printed English", 1951, rounded up). */
const bitsOfLanguage = 1.5

/** The frequencies of the letters a to z in English, per ten thousand. Other languages in Latin letters are close enough. */
const frequencies = [
  817, 149, 278, 425, 1270, 223, 202, 609, 697, 15, 77, 403, 241, 675, 751, 193, 10, 599, 633, 906, 276, 98, 236, 15, 197, 7,
].map((each) => each / 10_000)

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

/** Classifies a character as a capital, a small letter, a digit or anything else. */
const kindOf = (character: string): string =>
  /[A-Z]/.test(character) ? "A" : /[a-z]/.test(character) ? "a" : /[0-9]/.test(character) ? "0" : "-"

/** The share of characters whose class differs from the previous one: 0.65 in random base64, 0.3 in words. */
const changes = (secret: string): number => {
  const kinds = Array.from(secret, kindOf)
  return kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length / secret.length
}

/**
 * Reports whether a text consists of words. The mean information of its letters is then too low for random ones (4.2 bits in English, 5.5
 * in random text), or fairly low with few changes of class.
 */
const isLanguage = (secret: string): boolean => {
  // No generator draws letters beyond ASCII, and their frequencies are not known.
  if (/[^ -~]/.test(secret)) return true
  const bits = Array.from(secret.toLowerCase()).flatMap((character) => {
    const frequency = frequencies[(disguises[character] ?? character).charCodeAt(0) - 97]
    return frequency === undefined ? [] : [-Math.log2(frequency)]
  })
  if (bits.length === 0) return false
  const mean = bits.reduce((sum, each) => sum + each, 0) / bits.length
  return mean < 4.5 || (mean < 5.1 && changes(secret) < 0.42)
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
 * alphabet that contains it, unless its letters are as frequent as those of a language. Repetitions and sequences are subtracted. The
 * estimate cannot detect a published secret or a digest of a guessable one.
 */
export const secretBits = (secret: string): number => {
  const text = secret.toLowerCase()
  const [, drawn] = alphabets.find(([each]) => each.test(secret)) ?? [undefined, mostBits]
  // Hexadecimal is exempt, because its six letters are frequent ones but form no words.
  const bits = drawn > 4 && isLanguage(secret) ? bitsOfLanguage : drawn
  const told = foretold(text)
  return bits * (told <= secret.length * forgiven ? secret.length : secret.length - told)
}

/**
 * Reports whether a person may have chosen a client's secret. A secret of fewer than {@link strongBits} bits could be guessed from a fast
 * digest, so it is hashed slowly, and an operator should replace it. `postern client add` and `openssl rand -base64 32` make strong ones.
 */
export const isWeakSecret = (secret: string): boolean => secretBits(secret) < strongBits
