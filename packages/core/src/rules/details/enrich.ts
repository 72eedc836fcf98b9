import type { DetailField, DetailSettings, Json, JsonObject, Person } from "../../model/index.ts"
import { valueFitted } from "./check.ts"
import { typeOf } from "./type.ts"

/** Fills in omitted fields (RFC 9396 §7.1) with claims of the person or constants of the type. An invalid value is omitted. */
export const enriched = (
  details: ReadonlyArray<JsonObject>,
  known: DetailSettings | undefined,
  person: Pick<Person, "claims"> | undefined,
): ReadonlyArray<JsonObject> => details.map((detail) => one(detail, known, person?.claims ?? {}))

const one = (detail: JsonObject, known: DetailSettings | undefined, claims: Person["claims"]): JsonObject => {
  const type = typeOf(detail, known?.types)
  if (type === undefined || ![...type.schema.fields.values()].some(({ enrich }) => enrich !== undefined)) return detail
  const fields = [...type.schema.fields].flatMap(([name, field]): ReadonlyArray<readonly [string, Json]> => {
    const value = filled(Object.hasOwn(detail, name) ? detail[name] : undefined, field, claims)
    return value === undefined ? [] : [[name, value]]
  })
  return { type: type.type, ...Object.fromEntries(fields) }
}

const filled = (given: Json | undefined, { enrich, schema }: DetailField, claims: Person["claims"]): Json | undefined => {
  if (enrich === undefined || (given !== undefined && !(Array.isArray(given) && given.length === 0))) return given
  const source = "value" in enrich ? enrich.value : Object.hasOwn(claims, enrich.claim) ? claims[enrich.claim] : undefined
  const found = source === undefined ? undefined : valueFitted(source, schema, "")
  return found !== undefined && "value" in found ? found.value : given
}
