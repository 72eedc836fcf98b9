/** Bits of entropy from which on a secret cannot be guessed, however fast it is hashed. */
export const strongBits = 128

/** Alphabets that generators draw from, smallest first, and the bits of one character of each. */
const alphabets: ReadonlyArray<readonly [RegExp, number]> = [
  [/^[0-9]*$/, Math.log2(10)],
  [/^(?:[0-9a-f]*|[0-9A-F]*)$/, 4],
  [/^(?:[a-z]*|[A-Z]*)$/, Math.log2(26)],
  [/^(?:[a-z0-9]*|[A-Z0-9]*)$/, Math.log2(36)],
  [/^[a-zA-Z]*$/, Math.log2(52)],
  [/^[a-zA-Z0-9]*$/, Math.log2(62)],
]

/** Of everything else, base64 included: characters beyond its 64 are not believed to be drawn as often as others. */
const mostBits = 6

/** Bits of one more character of a language (Shannon, "Prediction and Entropy of Printed English", 1951, rounded up). */
const bitsOfLanguage = 1.5

/** Frequencies of the letters a to z in ten thousand of English; other languages in Latin letters are near enough. */
const frequencies = [
  817, 149, 278, 425, 1270, 223, 202, 609, 697, 15, 77, 403, 241, 675, 751, 193, 10, 599, 633, 906, 276, 98, 236, 15, 197, 7,
].map((each) => each / 10_000)

/** Characters that are written for letters. */
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

/** Capitals, small letters, digits, and the rest. */
const kindOf = (character: string): string =>
  /[A-Z]/.test(character) ? "A" : /[a-z]/.test(character) ? "a" : /[0-9]/.test(character) ? "0" : "-"

/** The share of characters that are of another kind than the one before: 0.65 where base64 is drawn by chance, 0.3 in words. */
const changes = (secret: string): number => {
  const kinds = Array.from(secret, kindOf)
  return kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length / secret.length
}

/** Reports whether a text is made of words: its letters, on average, are too frequent ones for chance (4.2 bits in English, 5.5 by chance), or somewhat so and of one kind. */
const isLanguage = (secret: string): boolean => {
  const bits = Array.from(secret.toLowerCase()).flatMap((character) => {
    const frequency = frequencies[(disguises[character] ?? character).charCodeAt(0) - 97]
    return frequency === undefined ? [] : [-Math.log2(frequency)]
  })
  if (bits.length === 0) return false
  const mean = bits.reduce((sum, each) => sum + each, 0) / bits.length
  return mean < 4.5 || (mean < 5.1 && changes(secret) < 0.42)
}

const keyboard = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop"]

/** The characters that those before foretell: what repeats, follows in the alphabet, or lies beside on a keyboard. */
const foretold = (text: string): number => {
  const seen = new Set<string>()
  let count = 0
  for (let at = 2; at < text.length; at++) {
    const three = text.slice(at - 2, at + 1)
    const step = three.charCodeAt(1) - three.charCodeAt(0)
    const follows = Math.abs(step) <= 1 && three.charCodeAt(2) - three.charCodeAt(1) === step
    if (seen.has(three) || follows || keyboard.some((row) => row.includes(three))) count++
    seen.add(three)
  }
  return count
}

/** Chance foretells a few characters of every text: one in eight is forgiven. */
const forgiven = 1 / 8

/**
 * Bits of entropy of a secret, by an estimate that rather says too little: a text is believed to be drawn by chance from the alphabet it shows,
 * less what repeats or follows, unless its letters are as frequent as those of a language. It cannot see that a secret was published, or
 * is a digest of a guessable one.
 */
export const secretBits = (secret: string): number => {
  const text = secret.toLowerCase()
  const [, drawn] = alphabets.find(([each]) => each.test(secret)) ?? [undefined, mostBits]
  // The six letters of hexadecimal digits are frequent ones, and make no words.
  const bits = drawn > 4 && isLanguage(secret) ? bitsOfLanguage : drawn
  const told = foretold(text)
  return bits * (told <= secret.length * forgiven ? secret.length : secret.length - told)
}

/**
 * Reports whether a client's secret may be one that a person chose: one with fewer than {@link strongBits} bits could be guessed from a fast digest, so
 * it is hashed slowly, and an operator should replace it. `postern client add` and `openssl rand -base64 32` make strong ones.
 */
export const isWeakSecret = (secret: string): boolean => secretBits(secret) < strongBits
