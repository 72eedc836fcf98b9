import type { Json, JsonObject } from "./json.ts"
import type { Members } from "./member.ts"
import type { Person } from "./person.ts"
import type { Consent } from "./rows.ts"
import type { Catalog } from "./scope.ts"

// A type of authorization details is data: how its fields look, when a value is narrower than another, what people read about it. No code belongs to a type.

/**
 * The way in which a value may be narrower than another (RFC 9396 §6.1): it is the same, it is not greater, it is not smaller, or it is a list that has nothing
 * else. An object is narrower where each of its fields is.
 */
export type Narrowing = "equal" | "at-most" | "at-least" | "subset"

/** The form of a text beyond its length. */
export type TextFormat = "uri" | "date" | "date-time" | "decimal" | "currency" | "iban"

/** A text. */
export interface DetailTextSchema {
  /** Its kind. */
  readonly kind: "text"
  /** The least characters. */
  readonly least: number
  /** The most characters. */
  readonly longest: number
  /** The only values; any where undefined. */
  readonly of?: ReadonlyArray<string> | undefined
  /** Its format. */
  readonly format?: TextFormat | undefined
  /** The expression that the whole text matches. */
  readonly pattern?: RegExp | undefined
  /** Tells whether one is narrower than another. */
  readonly narrows: Narrowing
}

/** A number. */
export interface DetailNumberSchema {
  /** Its kind. */
  readonly kind: "number"
  /** True for whole numbers alone. */
  readonly whole: boolean
  /** The least. */
  readonly minimum: number
  /** The most. */
  readonly maximum: number
  /** Tells whether one is narrower than another. */
  readonly narrows: Narrowing
}

/** True or false. */
export interface DetailFlagSchema {
  /** Its kind. */
  readonly kind: "flag"
  /** Tells whether one is narrower than another. */
  readonly narrows: Narrowing
}

/** A list of values of one form. */
export interface DetailListSchema {
  /** Its kind. */
  readonly kind: "list"
  /** The form of each. */
  readonly items: DetailSchema
  /** The least number of them. */
  readonly least: number
  /** The most of them. */
  readonly most: number
  /** Tells whether one is narrower than another. */
  readonly narrows: Narrowing
}

/** An object: these fields, and no others. */
export interface DetailObjectSchema {
  /** Its kind. */
  readonly kind: "object"
  /** Its fields by name, in the order in which they are written. */
  readonly fields: ReadonlyMap<string, DetailField>
}

/** The form of a value. */
export type DetailSchema = DetailTextSchema | DetailNumberSchema | DetailFlagSchema | DetailListSchema | DetailObjectSchema

/** The source of a field that a client may leave open (RFC 9396 §7.1): a claim of the person, or a value of the type's own. */
export type Enrichment = { /** The name of the claim. */ readonly claim: string } | { /** The value. */ readonly value: Json }

/** A field of an object. */
export interface DetailField {
  /** The form of its value. */
  readonly schema: DetailSchema
  /** True if it must be there. */
  readonly required: boolean
  /**
   * The meaning of its absence where details are compared: something else than any value, everything (a value is narrower), or nothing (absence is narrower
   * than any value).
   */
  readonly absent: "other" | "everything" | "nothing"
  /** Fills it in where it is absent, or an empty list; undefined where it stays so. */
  readonly enrich?: Enrichment | undefined
}

/** A part of a sentence: words, or the path of a field whose value stands there. */
export type DetailPhrase = string | { /** The names that lead to it. */ readonly path: ReadonlyArray<string> }

/** The words of a type in one language. */
export interface DetailWords {
  /** Its name. */
  readonly title: string
  /** A sentence about one detail. */
  readonly summary: ReadonlyArray<DetailPhrase>
  /** Names of fields, by their paths with dots. */
  readonly fields: Readonly<Record<string, string>>
}

/** A type of authorization details (RFC 9396 §2.1). */
export interface DetailType {
  /** Its identifier: the value of `type`. */
  readonly type: string
  /** Identifiers of the resources that its details are for; `locations` name some of these. */
  readonly resources: ReadonlyArray<string>
  /** The form of a detail, without `type`. */
  readonly schema: DetailObjectSchema
  /** Asks for consent by the client's `require_consent`, and remembers it; or at each request, and remembers none. */
  readonly consent: "remembered" | "each"
  /** True if a client may have details for itself, by the client_credentials grant. */
  readonly withoutPerson: boolean
  /** Its words by language tag. */
  readonly words: Readonly<Record<string, DetailWords>>
}

/** The types of a provider, and who may use them how. */
export interface DetailSettings {
  /** The types, by identifier. */
  readonly types: ReadonlyMap<string, DetailType>
  /** Returns the types that a client may use (RFC 9396 §10). */
  readonly allowedTo: (client: Members) => ReadonlyArray<string>
  /** Reports whether a client's details are taken from pushed requests and signed request objects alone (RFC 9396 §12). */
  readonly isProtected: (client: Members) => boolean
}

/** The part of `authorization_details` that cannot be taken, by the rule that refuses it. */
export interface DetailsFault {
  /** The rule. */
  readonly kind: "form" | "type" | "fields"
  /** Holds nothing that was sent. */
  readonly problem: string
}

/** The details that a request asks for. */
export interface DetailsAsked {
  /** True if it has the parameter. */
  readonly sent: boolean
  /** The details, each with `type` first and then the fields in the order of its type; none where there is a fault. */
  readonly details: ReadonlyArray<JsonObject>
  /** The fault; undefined where there is none. */
  readonly fault?: DetailsFault
}

/**
 * The types of a provider, and what its details are by them. The feature that has the types brings this with them: a provider without it carries no code that
 * reads details.
 */
export interface DetailRules extends DetailSettings {
  /** Reads the `authorization_details` that a client asks for. */
  readonly readDetails: (text: string, client: Members) => DetailsAsked
  /** Fills in what clients may leave open, for a person. */
  readonly enriched: (details: ReadonlyArray<JsonObject>, person: Pick<Person, "claims"> | undefined) => ReadonlyArray<JsonObject>
  /** Finds a detail of a list that goes beyond another list; undefined where none does. */
  readonly beyond: (narrow: ReadonlyArray<JsonObject>, wide: ReadonlyArray<JsonObject>) => number | undefined
  /** Returns the details among the words of a consent. */
  readonly detailsOfWords: (words: ReadonlyArray<string>) => ReadonlyArray<JsonObject>
  /** Returns the details among words that people have allowed, each within one that was asked for. */
  readonly allowedDetails: (ticked: ReadonlyArray<string>, asked: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>
  /** Returns the words that a consent covers. */
  readonly coveredBy: (consent: Consent, words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Returns the words of a consent that are remembered. */
  readonly rememberedWords: (words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Returns the details among the words of a request, as pages show them. */
  readonly detailFaces: (catalog: Catalog, words: ReadonlyArray<string>, held: ReadonlyArray<string>) => ReadonlyArray<ConsentDetail>
}

/** A value of a field, as a page shows it. */
export type ShownValue = string | boolean | ReadonlyArray<string>

/** An authorization detail in words of one language. */
export interface DetailSaid {
  /** The name of its type. */
  readonly title: string
  /** A sentence about it, in parts: words of the type, and values that the client sent. */
  readonly summary: ReadonlyArray<string | { /** The value. */ readonly value: ShownValue }>
  /** The fields that the sentence does not name, all of them. */
  readonly fields: ReadonlyArray<{ /** Its name. */ readonly label: string; /** Its value. */ readonly value: ShownValue }>
}

/** An authorization detail as pages show it. */
export interface ConsentDetail {
  /** The value that allows it: posted as `scope`, or listed in the scopes of an answer. */
  readonly name: string
  /** Its type. */
  readonly type: string
  /** The detail as it would be granted. */
  readonly detail: JsonObject
  /** Words about it, by language tag. */
  readonly said: Readonly<Record<string, DetailSaid>>
  /** Titles, or else identifiers, of the resources that it is for. */
  readonly resources: ReadonlyArray<string>
  /** True if the client has it already, by a consent that is remembered, and asks for more now. */
  readonly held?: true
}
