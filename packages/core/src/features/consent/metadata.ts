import { type Field, SecondsWithin, clientField, plainField, values } from "../../model/index.ts"

/** Client metadata of consents. */
export const clientMetadata: ReadonlyArray<Field> = [
  plainField("require_consent", values.flag, {
    name: "first-party",
    states: false,
    description: "Skip the consent page",
  }),
]

/** Descriptions of these fields, which no request needs. */
export const descriptions = {
  require_consent: "Asks users for consent. Default: true.",
}

/** Lifetimes of consents. */
export const lifetimes: ReadonlyArray<Field> = [
  clientField("consent_lifetime", SecondsWithin(0), "Lifetime of a consent, in seconds; 0 means unlimited. Default: 0."),
]
