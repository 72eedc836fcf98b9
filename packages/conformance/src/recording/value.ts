import { type Json, type Secret, secretOf } from "@postern/core"

const isSecret = (value: object): value is Secret => "reveal" in value && typeof value.reveal === "function"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

/** Converts a port's value to JSON. Secrets and bytes get a marked member, and values without a JSON form are omitted. */
export const plain = (value: unknown): Json | undefined => {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map((each: unknown) => plain(each) ?? null)
  if (!isObject(value)) return undefined
  if (isSecret(value)) return { $secret: value.reveal() }
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString("base64url") }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => {
      const written = plain(each)
      return written === undefined ? [] : [[name, written] as const]
    }),
  )
}

/** Reads what {@link plain} wrote. */
export const revived = (written: Json | undefined): unknown => {
  if (Array.isArray(written)) return written.map(revived)
  if (!isObject(written)) return written
  // Lists are handled above.
  const members = Object.entries(written as Readonly<Record<string, Json>>)
  const [[name, value] = ["", null]] = members
  if (members.length === 1 && name === "$secret" && typeof value === "string") return secretOf(value)
  if (members.length === 1 && name === "$bytes" && typeof value === "string") return new Uint8Array(Buffer.from(value, "base64url"))
  return Object.fromEntries(members.map(([member, each]) => [member, revived(each)]))
}
