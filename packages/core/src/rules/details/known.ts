import type { Catalog, ConsentDetail, Consent, DetailRules, DetailsAsked, JsonObject, Members, Person } from "../../model/index.ts"
import { isDetailWord } from "./words.ts"

// The details of a provider by the feature that knows their types, which brings the code: each function asks for its namesake beside this file, and has an answer
// of its own where no feature has any types.

/** The provider's knowledge of details; undefined where no feature has any. */
type Known = DetailRules | undefined

const unasked: DetailsAsked = { sent: false, details: [] }

/** Reads the `authorization_details` that a client asks for (RFC 9396 §2). A provider without types knows no such parameter. */
export const readDetails = (text: string | undefined, { details: known }: { readonly details: Known }, client: Members): DetailsAsked =>
  text === undefined || known === undefined ? unasked : known.readDetails(text, client)

/** Fills in what clients may leave open (RFC 9396 §7.1), from the claims of the person or by the type itself. */
export const enriched = (
  details: ReadonlyArray<JsonObject>,
  known: Known,
  person: Pick<Person, "claims"> | undefined,
): ReadonlyArray<JsonObject> => known?.enriched(details, person) ?? details

/** The details among the words of a consent. */
export const detailsOfWords = (words: ReadonlyArray<string>, known: Known): ReadonlyArray<JsonObject> => known?.detailsOfWords(words) ?? []

/** The details among words that people have allowed, each of them within one that was asked for, and no two within the same one. */
export const allowedDetails = (ticked: ReadonlyArray<string>, asked: ReadonlyArray<JsonObject>, known: Known): ReadonlyArray<JsonObject> =>
  known?.allowedDetails(ticked, asked) ?? []

/** Words that a consent covers: those that it holds, and details within one that it remembers. */
export const coveredBy = (consent: Consent, words: ReadonlyArray<string>, known: Known): ReadonlyArray<string> =>
  known?.coveredBy(consent, words) ?? words.filter((word) => !isDetailWord(word) && consent.scope.includes(word))

/** The words of a consent that are remembered. */
export const rememberedWords = (words: ReadonlyArray<string>, known: Known): ReadonlyArray<string> =>
  known?.rememberedWords(words) ?? words.filter((word) => !isDetailWord(word))

/** The details among the words of a request, as pages show them. Those that the client has already are marked. */
export const detailFaces = (
  { details: known, catalog }: { readonly details: Known; readonly catalog: Catalog },
  words: ReadonlyArray<string>,
  held: ReadonlyArray<string> = [],
): ReadonlyArray<ConsentDetail> => known?.detailFaces(catalog, words, held) ?? []
