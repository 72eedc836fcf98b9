import type { DetailType, Json, JsonObject } from "../../model/index.ts"

/** Reports whether a value is a JSON object. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The type of a detail; undefined where there is none of that name. */
export const typeOf = ({ type }: JsonObject, types: ReadonlyMap<string, DetailType> | undefined): DetailType | undefined =>
  typeof type === "string" ? types?.get(type) : undefined
