import { type Consent, type DetailSettings, type JsonObject, isJsonObject } from "../../model/index.ts"
import { readStrictJson } from "../../wire/index.ts"
import { fitted } from "./check.ts"
import { beyond } from "./narrow.ts"
import { detailBounds, mostDetails } from "./read.ts"
import { typeOf } from "./type.ts"

const lead = "detail "

/** A detail as a consent remembers it, and as a page posts it. No scope has a space in it. */
export const detailWord = (detail: JsonObject): string => lead + JSON.stringify(detail)

/** Reports whether a word of a consent stands for a detail. */
export const isDetailWord = (word: string): boolean => word.startsWith(lead)

/** The detail that a word stands for, as its type has it now; undefined for any other word, and for a detail of a type that was removed. */
export const detailOfWord = (word: string, known: DetailSettings | undefined): JsonObject | undefined => {
  if (!isDetailWord(word)) return undefined
  const read = readStrictJson(word.slice(lead.length), detailBounds)
  if (!("value" in read) || !isJsonObject(read.value)) return undefined
  const type = typeOf(read.value, known?.types)
  const found = type === undefined ? undefined : fitted(read.value, type)
  return found !== undefined && "detail" in found ? found.detail : undefined
}

/** The details among the words of a consent. */
export const detailsOfWords = (words: ReadonlyArray<string>, known: DetailSettings | undefined): ReadonlyArray<JsonObject> =>
  words.flatMap((word) => {
    const detail = detailOfWord(word, known)
    return detail === undefined ? [] : [detail]
  })

/** The details among words that people have allowed, each of them within one that was asked for, and no two within the same one. */
export const allowedDetails = (
  ticked: ReadonlyArray<string>,
  asked: ReadonlyArray<JsonObject>,
  known: DetailSettings | undefined,
): ReadonlyArray<JsonObject> => {
  const allowed: Array<JsonObject> = []
  if (asked.length === 0) return allowed
  for (const detail of detailsOfWords(ticked.filter(isDetailWord).slice(0, mostDetails), known)) {
    if (beyond([...allowed, detail], asked, known?.types ?? new Map()) === undefined) allowed.push(detail)
  }
  return allowed
}

/** Words that a consent covers: those that it holds, and details within one that it remembers. */
export const coveredBy = (consent: Consent, words: ReadonlyArray<string>, known: DetailSettings | undefined): ReadonlyArray<string> => {
  const remembered = detailsOfWords(consent.scope, known)
  const covered: Array<JsonObject> = []
  return words.filter((word) => {
    if (!isDetailWord(word)) return consent.scope.includes(word)
    const detail = detailOfWord(word, known)
    if (detail === undefined || !isRemembered(detail, known)) return false
    if (beyond([...covered, detail], remembered, known?.types ?? new Map()) !== undefined) return false
    covered.push(detail)
    return true
  })
}

/** Reports whether a consent to a detail is remembered: a type may ask at each request. */
export const isRemembered = (detail: JsonObject, known: DetailSettings | undefined): boolean =>
  typeOf(detail, known?.types)?.consent === "remembered"

/** The words of a consent that are remembered: each detail that is not within another one, the newest ones where they are many. */
export const rememberedWords = (words: ReadonlyArray<string>, known: DetailSettings | undefined): ReadonlyArray<string> => {
  const details = detailsOfWords(words, known).filter((detail) => isRemembered(detail, known))
  const types = known?.types ?? new Map<string, never>()
  const widest = details.filter(
    (detail, at) =>
      !details.some((other, place) => {
        if (place === at || beyond([detail], [other], types) !== undefined) return false
        // Of two that say the same the first stays.
        return place < at || beyond([other], [detail], types) !== undefined
      }),
  )
  return [...words.filter((word) => !isDetailWord(word)), ...widest.slice(-mostDetails).map(detailWord)]
}
