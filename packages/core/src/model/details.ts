import type { Json, JsonObject } from "./json.ts"
import type { Members } from "./member.ts"
import type { Person } from "./person.ts"
import type { Consent } from "./rows.ts"
import type { Catalog } from "./scope.ts"

// A type of authorization details is data: the form of its fields, the comparison of its values, and the text that people read about it. A
// type has no code.

/**
 * The comparison by which one value is narrower than another (RFC 9396 §6.1): equal, not greater, not smaller, or a list that is a subset.
 * An object is narrower if each of its fields is.
 */
export type Narrowing = "equal" | "at-most" | "at-least" | "subset"

/** The format of a string. */
export type TextFormat = "uri" | "date" | "date-time" | "decimal" | "currency" | "iban"

/** A string. */
export interface DetailTextSchema {
  /** Its kind. */
  readonly kind: "text"
  /** The minimum length, in characters. */
  readonly least: number
  /** The maximum length, in characters. */
  readonly longest: number
  /** The allowed values; any if undefined. */
  readonly of?: ReadonlyArray<string> | undefined
  /** Its format. */
  readonly format?: TextFormat | undefined
  /** The expression that the whole string must match. */
  readonly pattern?: RegExp | undefined
  /** The comparison by which one value is narrower than another. */
  readonly narrows: Narrowing
}

/** A number. */
export interface DetailNumberSchema {
  /** Its kind. */
  readonly kind: "number"
  /** True if only integers are allowed. */
  readonly whole: boolean
  /** The minimum. */
  readonly minimum: number
  /** The maximum. */
  readonly maximum: number
  /** The comparison by which one value is narrower than another. */
  readonly narrows: Narrowing
}

/** True or false. */
export interface DetailFlagSchema {
  /** Its kind. */
  readonly kind: "flag"
  /** The comparison by which one value is narrower than another. */
  readonly narrows: Narrowing
}

/** A list of values with the same form. */
export interface DetailListSchema {
  /** Its kind. */
  readonly kind: "list"
  /** The form of each item. */
  readonly items: DetailSchema
  /** The minimum number of items. */
  readonly least: number
  /** The maximum number of items. */
  readonly most: number
  /** The comparison by which one value is narrower than another. */
  readonly narrows: Narrowing
}

/** An object with these fields and no others. */
export interface DetailObjectSchema {
  /** Its kind. */
  readonly kind: "object"
  /** Its fields by name, in the order in which they are serialized. */
  readonly fields: ReadonlyMap<string, DetailField>
}

/** The form of a value. */
export type DetailSchema = DetailTextSchema | DetailNumberSchema | DetailFlagSchema | DetailListSchema | DetailObjectSchema

/** The source of a field that a client may omit (RFC 9396 §7.1): a claim of the person, or a constant of the type. */
export type Enrichment = { /** The name of the claim. */ readonly claim: string } | { /** The value. */ readonly value: Json }

/** A field of an object. */
export interface DetailField {
  /** The form of its value. */
  readonly schema: DetailSchema
  /** True if the field is required. */
  readonly required: boolean
  /**
   * The meaning of an absent field when details are compared: `other` differs from every value, `everything` is wider than every value, and
   * `nothing` is narrower than every value.
   */
  readonly absent: "other" | "everything" | "nothing"
  /** The source that fills the field if it is absent or an empty list; undefined if it stays that way. */
  readonly enrich?: Enrichment | undefined
}

/** A part of a sentence: text, or the path of a field whose value is inserted. */
export type DetailPhrase = string | { /** The names on the path to the field. */ readonly path: ReadonlyArray<string> }

/** The texts of a type in one language. */
export interface DetailWords {
  /** Its name. */
  readonly title: string
  /** A sentence about one detail. */
  readonly summary: ReadonlyArray<DetailPhrase>
  /** Labels of fields, by their dotted paths. */
  readonly fields: Readonly<Record<string, string>>
}

/** A type of authorization details (RFC 9396 §2.1). */
export interface DetailType {
  /** Its identifier: the value of `type`. */
  readonly type: string
  /** Identifiers of the resources that its details apply to; `locations` lists some of these. */
  readonly resources: ReadonlyArray<string>
  /** The form of a detail, without `type`. */
  readonly schema: DetailObjectSchema
  /**
   * The consent policy: `remembered` follows the client's `require_consent` and remembers consent; `each` asks at each request and
   * remembers none.
   */
  readonly consent: "remembered" | "each"
  /** True if a client may obtain details for itself, by the client_credentials grant. */
  readonly withoutPerson: boolean
  /** Its texts by language tag. */
  readonly words: Readonly<Record<string, DetailWords>>
}

/** The types of a provider, and the clients that may use them. */
export interface DetailSettings {
  /** The types, by identifier. */
  readonly types: ReadonlyMap<string, DetailType>
  /** Returns the types that a client may use (RFC 9396 §10). */
  readonly allowedTo: (client: Members) => ReadonlyArray<string>
  /** Reports whether a client's details are accepted only from pushed requests and signed request objects (RFC 9396 §12). */
  readonly isProtected: (client: Members) => boolean
}

/** The error in an `authorization_details` parameter. */
export interface DetailsFault {
  /** The rule that refuses it. */
  readonly kind: "form" | "type" | "fields"
  /** A description of the error; it contains nothing that was sent. */
  readonly problem: string
}

/** The details that a request contains. */
export interface DetailsAsked {
  /** True if the request has the parameter. */
  readonly sent: boolean
  /** The details, each with `type` first and then the fields in the order of the type; empty if there is an error. */
  readonly details: ReadonlyArray<JsonObject>
  /** The error; undefined if there is none. */
  readonly fault?: DetailsFault
}

/**
 * The types of a provider and the functions that process details. The feature that declares the types supplies them, so that a provider
 * without it contains no code for details.
 */
export interface DetailRules extends DetailSettings {
  /** Reads the `authorization_details` that a client asks for. */
  readonly readDetails: (text: string, client: Members) => DetailsAsked
  /** Fills in omitted fields with a person's claims and the constants of the type. */
  readonly enriched: (details: ReadonlyArray<JsonObject>, person: Pick<Person, "claims"> | undefined) => ReadonlyArray<JsonObject>
  /** Finds the index of a detail that exceeds another list; undefined if none does. */
  readonly beyond: (narrow: ReadonlyArray<JsonObject>, wide: ReadonlyArray<JsonObject>) => number | undefined
  /** Returns the authorization details in the scope words of a consent. */
  readonly detailsOfWords: (words: ReadonlyArray<string>) => ReadonlyArray<JsonObject>
  /** Returns the details that a person has allowed, each within one that was requested. */
  readonly allowedDetails: (ticked: ReadonlyArray<string>, asked: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>
  /** Returns the scope words that a consent covers. */
  readonly coveredBy: (consent: Consent, words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Returns the scope words of a consent that are remembered. */
  readonly rememberedWords: (words: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Returns the details of a request, as pages show them. */
  readonly detailFaces: (catalog: Catalog, words: ReadonlyArray<string>, held: ReadonlyArray<string>) => ReadonlyArray<ConsentDetail>
}

/** A value of a field, as a page shows it. */
export type ShownValue = string | boolean | ReadonlyArray<string>

/** The description of an authorization detail in one language. */
export interface DetailSaid {
  /** The name of its type. */
  readonly title: string
  /** A sentence about it, in parts: text of the type, and values that the client sent. */
  readonly summary: ReadonlyArray<string | { /** The value. */ readonly value: ShownValue }>
  /** All fields that the sentence does not mention. */
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
  /** Its descriptions, by language tag. */
  readonly said: Readonly<Record<string, DetailSaid>>
  /** The titles (or identifiers) of the resources that it applies to. */
  readonly resources: ReadonlyArray<string>
  /** True if a remembered consent already covers it and the client now requests more. */
  readonly held?: true
}
