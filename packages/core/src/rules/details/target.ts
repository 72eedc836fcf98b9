import type { DetailSettings, DetailType, JsonObject } from "../../model/index.ts"
import { typeOf } from "./type.ts"

/** Returns the resources that a detail applies to: its locations, or all of its type's (RFC 9396 §2.2). */
export const resourcesOf = ({ locations }: JsonObject, { resources }: DetailType): ReadonlyArray<string> => {
  const named = Array.isArray(locations) ? locations.filter((each) => typeof each === "string") : []
  return named.length === 0 ? resources : resources.filter((each) => named.includes(each))
}

/** Returns the resources that details apply to. */
export const detailTargets = (details: ReadonlyArray<JsonObject> | undefined, known: DetailSettings | undefined): ReadonlyArray<string> => {
  if (details === undefined || details.length === 0) return []
  return [...new Set(details.flatMap((detail) => targetsOf(detail, known)))]
}

const targetsOf = (detail: JsonObject, known: DetailSettings | undefined): ReadonlyArray<string> => {
  const type = typeOf(detail, known?.types)
  return type === undefined ? [] : resourcesOf(detail, type)
}

/** Returns the details that apply to a resource of an audience (RFC 9396 §9). */
export const detailsFor = (
  details: ReadonlyArray<JsonObject>,
  audience: ReadonlyArray<string>,
  known: DetailSettings | undefined,
): ReadonlyArray<JsonObject> => details.filter((detail) => targetsOf(detail, known).some((each) => audience.includes(each)))
