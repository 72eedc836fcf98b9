import type { Catalog, ConsentDetail, Consent, DetailRules, DetailsAsked, JsonObject, Members, Person } from "../../model/index.ts"
import { isDetailWord } from "./words.ts"

// Functions for a provider's details. The feature that declares types supplies the code: each function calls its namesake there, and has a
// default result if no feature has any types.

/** The provider's detail functions; undefined if no feature has any. */
type Known = DetailRules | undefined

const unasked: DetailsAsked = { sent: false, details: [] }

/** Reads the `authorization_details` of a request (RFC 9396 §2). A provider without types ignores the parameter. */
export const readDetails = (text: string | undefined, { details: known }: { readonly details: Known }, client: Members): DetailsAsked =>
  text === undefined || known === undefined ? unasked : known.readDetails(text, client)

/** Fills in omitted fields (RFC 9396 §7.1) with claims of the person or constants of the type. */
export const enriched = (
  details: ReadonlyArray<JsonObject>,
  known: Known,
  person: Pick<Person, "claims"> | undefined,
): ReadonlyArray<JsonObject> => known?.enriched(details, person) ?? details

/** Returns the details in the scope words of a consent. */
export const detailsOfWords = (words: ReadonlyArray<string>, known: Known): ReadonlyArray<JsonObject> => known?.detailsOfWords(words) ?? []

/** Returns the details that a person has allowed, each within a different requested one. */
export const allowedDetails = (ticked: ReadonlyArray<string>, asked: ReadonlyArray<JsonObject>, known: Known): ReadonlyArray<JsonObject> =>
  known?.allowedDetails(ticked, asked) ?? []

/** Returns the words that a consent covers: those that it contains, and details within one that it remembers. */
export const coveredBy = (consent: Consent, words: ReadonlyArray<string>, known: Known): ReadonlyArray<string> =>
  known?.coveredBy(consent, words) ?? words.filter((word) => !isDetailWord(word) && consent.scope.includes(word))

/** Returns the words of a consent that are remembered. */
export const rememberedWords = (words: ReadonlyArray<string>, known: Known): ReadonlyArray<string> =>
  known?.rememberedWords(words) ?? words.filter((word) => !isDetailWord(word))

/** Returns the details of a request, as pages show them. Those that the client already has are marked. */
export const detailFaces = (
  { details: known, catalog }: { readonly details: Known; readonly catalog: Catalog },
  words: ReadonlyArray<string>,
  held: ReadonlyArray<string> = [],
): ReadonlyArray<ConsentDetail> => known?.detailFaces(catalog, words, held) ?? []
