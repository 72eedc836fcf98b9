import { type Field, SecondsWithin, clientField, values } from "../../model/index.ts"

/** Client metadata of consents. */
export const clientMetadata: ReadonlyArray<Field> = [
  clientField("require_consent", values.flag, "Asks users for consent. Default: true.", {
    name: "first-party",
    states: false,
    description: "Skip the consent page",
  }),
]

/** Lifetimes of consents. */
export const lifetimes: ReadonlyArray<Field> = [
  clientField("consent_lifetime", SecondsWithin(0), "Lifetime of a consent, in seconds; 0 means unlimited. Default: 0."),
]
