import { defaultFeatures } from "@postern/core"
import {
  type Confirming,
  type Feature,
  type ProvingRequest,
  defineFeature,
  member,
  refuse,
  refuseJson,
  row,
  table,
  values,
} from "@postern/core/features"
import type { Confirmation } from "@postern/core/model"

const withoutProofs = defaultFeatures.filter(({ name }) => name !== "dpop")

/** The parameters by which a request in a world of {@link confirmingFeatures} says what it has proved. */
export const proving = (confirmation: Confirmation | undefined): Readonly<Record<string, string>> =>
  confirmation === undefined ? {} : { proved: JSON.stringify(confirmation) }

const required = member("tokens_must_be_bound", values.flag, false, "Binds all tokens of the client. Default: false.")

/** A proof in words: a parameter of the body, or a header of a request to a resource. */
const stated = ({ message }: ProvingRequest): string | undefined =>
  message.headers["proved"] ?? new URLSearchParams(message.body).get("proved") ?? undefined

const rules = table<{ readonly text: string | undefined }>("confirming").rule("confirming.legible", "house rule 1", ({ text }) =>
  text === undefined || text.startsWith("{") ? undefined : refuse("invalid_dpop_proof", "The proof is not valid.", "no JSON"),
)

const inWords: Confirming = {
  scheme: "DPoP",
  isRequired: required.of,
  prove: row<ProvingRequest>(refuseJson)
    .read((request) => ({ text: stated(request) }))
    .judge(rules)
    // Written by the function above.
    .read(({ text }) => ({ confirmation: text === undefined ? undefined : (JSON.parse(text) as Confirmation) })),
}

const alsoRequired = member(
  "tokens_must_be_bound_too",
  values.flag,
  false,
  "Binds all tokens of the client in another way. Default: false.",
)

/** {@link confirmingFeatures}, and another way to bind tokens, proved by the same words. */
export const confirmingTwice = (): ReadonlyArray<Feature> => [
  ...confirmingFeatures,
  defineFeature({
    name: "confirming-too",
    clientMetadata: [alsoRequired],
    confirmations: [
      {
        isRequired: alsoRequired.of,
        prove: row<ProvingRequest>(refuseJson).read((request) => {
          const text = stated(request)
          return { confirmation: text === undefined ? undefined : (JSON.parse(text) as Confirmation) }
        }),
      },
    ],
  }),
]

/** The usual features, and one whose requests say what they have proved. */
export const confirmingFeatures: ReadonlyArray<Feature> = [
  ...withoutProofs,
  defineFeature({ name: "confirming", clientMetadata: [required], confirmations: [inWords] }),
]
