/** Stands between a value and the name of its issuer: no locator, digest or printable text has it, so that rows without a name have none either. */
export const separator = "\u001f"

/** Reports whether a text is a valid name of an issuer. */
export const isPartitionName = (name: string): boolean => /^[a-z0-9][a-z0-9-]{0,31}$/.test(name)

/** Splits what a store keeps into the value and the name of its issuer, which is empty where there is none. */
export const partitionOf = (stored: string): { readonly value: string; readonly name: string } => {
  const at = stored.lastIndexOf(separator)
  return at < 0 ? { value: stored, name: "" } : { value: stored.slice(0, at), name: stored.slice(at + 1) }
}

/** Marks a value as an issuer's. Throws where a value of the issuer without a name would be taken for another's. */
export const inPartition = (value: string, name: string): string => {
  if (name !== "") return `${value}${separator}${name}`
  if (value.includes(separator)) throw new RangeError("a value that could be taken for another issuer's")
  return value
}

/** The value of what a store keeps; undefined where it is another issuer's. */
export const ownValue = (stored: string, name: string): string | undefined => {
  if (name === "") return stored.includes(separator) ? undefined : stored
  const until = stored.length - name.length - 1
  return until >= 0 && stored[until] === separator && stored.endsWith(name) ? stored.slice(0, until) : undefined
}
