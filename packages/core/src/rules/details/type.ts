import type { DetailType, JsonObject } from "../../model/index.ts"

/** The type of a detail; undefined where there is none of that name. */
export const typeOf = ({ type }: JsonObject, types: ReadonlyMap<string, DetailType> | undefined): DetailType | undefined =>
  typeof type === "string" ? types?.get(type) : undefined
