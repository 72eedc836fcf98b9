import type { DetailRules, DetailSettings } from "../../model/index.ts"
import {
  allowedDetails,
  beyond,
  coveredBy,
  detailFaces,
  detailsOfWords,
  enriched,
  readDetails,
  rememberedWords,
} from "../../rules/details/index.ts"

/** Reads, compares and shows details by the types of a provider. */
export const rulesOf = (known: DetailSettings): DetailRules => ({
  ...known,
  readDetails: (text, client) => readDetails(text, { details: known }, client),
  enriched: (details, person) => enriched(details, known, person),
  beyond: (narrow, wide) => beyond(narrow, wide, known.types),
  detailsOfWords: (words) => detailsOfWords(words, known),
  allowedDetails: (ticked, asked) => allowedDetails(ticked, asked, known),
  coveredBy: (consent, words) => coveredBy(consent, words, known),
  rememberedWords: (words) => rememberedWords(words, known),
  detailFaces: (catalog, words, held) => detailFaces({ details: known, catalog }, words, held),
})
