import type { Line } from "../line.ts"
import { answers } from "./answers.ts"
import { authorizeMore } from "./authorizeMore.ts"
import { authorizeParameters } from "./authorizeParameters.ts"
import { endpointRules } from "./endpointRules.ts"
import { endpoints } from "./endpoints.ts"
import { others } from "./others.ts"
import { service } from "./service.ts"
import { tokenParameters } from "./tokenParameters.ts"

/** Every line of the specification, in its order. */
export const lines: ReadonlyArray<Line> = [
  ...service,
  ...authorizeParameters,
  ...authorizeMore,
  ...tokenParameters,
  ...answers,
  ...endpoints,
  ...endpointRules,
  ...others,
]
