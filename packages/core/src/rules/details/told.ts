import type { JsonObject } from "../../model/index.ts"
import { readStrictJson } from "../../wire/index.ts"
import { detailBounds } from "./read.ts"
import { isDetailWord } from "./words.ts"

/** Returns the types of details, for audit events, because their contents are private to the person. Undefined if there are none. */
export const typesTold = (details: ReadonlyArray<JsonObject> | undefined): ReadonlyArray<string> | undefined => {
  const types = new Set((details ?? []).flatMap(({ type }) => (typeof type === "string" ? [type] : [])))
  return types.size === 0 ? undefined : [...types]
}

/** The words of a consent as an auditor is told: scopes and claims by name, and the types of the details. */
export const toldOf = (
  words: ReadonlyArray<string>,
): { readonly scope: ReadonlyArray<string>; readonly authorizationDetails: ReadonlyArray<string> | undefined } => ({
  scope: words.filter((word) => !isDetailWord(word)),
  authorizationDetails: typesTold(
    words.filter(isDetailWord).flatMap((word) => {
      const read = readStrictJson(word.slice(word.indexOf(" ") + 1), detailBounds)
      // A word was made of an object.
      return "value" in read ? [read.value as JsonObject] : []
    }),
  ),
})

/** The types of the details that a parameter asks for, for an auditor. */
export const typesAsked = (text: string | undefined): ReadonlyArray<string> | undefined => {
  const read = text === undefined ? undefined : readStrictJson(text, detailBounds)
  return read !== undefined && "value" in read && Array.isArray(read.value) ? typesTold(read.value as ReadonlyArray<JsonObject>) : undefined
}
