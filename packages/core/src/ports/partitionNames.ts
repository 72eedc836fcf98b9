/**
 * Separates a value from the name of its issuer. It occurs in no locator, digest or printable text, so rows without a name do not contain
 * it.
 */
export const separator = "\u001f"

/** Reports whether a value is a valid name of an issuer. */
export const isPartitionName = (name: unknown): boolean => typeof name === "string" && /^[a-z0-9][a-z0-9-]{0,31}$/.test(name)

/** Splits a stored value into the value and the name of its issuer, which is empty if there is none. */
export const partitionOf = (stored: string): { readonly value: string; readonly name: string } => {
  const at = stored.lastIndexOf(separator)
  return at < 0 ? { value: stored, name: "" } : { value: stored.slice(0, at), name: stored.slice(at + 1) }
}

/** Appends the name of an issuer to a value. Throws if a value of the issuer without a name could be mistaken for another issuer's. */
export const inPartition = (value: string, name: string): string => {
  if (name !== "") return `${value}${separator}${name}`
  if (value.includes(separator)) throw new RangeError("a value that could be taken for another issuer's")
  return value
}

/** Returns the value without the issuer's name; undefined if it belongs to another issuer. */
export const ownValue = (stored: string, name: string): string | undefined => {
  if (name === "") return stored.includes(separator) ? undefined : stored
  const until = stored.length - name.length - 1
  return until >= 0 && stored[until] === separator && stored.endsWith(name) ? stored.slice(0, until) : undefined
}
