/** Formats a number of bytes, such as 4.2 MiB. */
export const bytes = (count: number): string => {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
  let [amount, at] = [count, 0]
  for (; amount >= 1024 && at < units.length - 1; at++) amount /= 1024
  return `${at === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[at]}`
}

/** Formats a count with its noun, such as `1 client` or `2 clients`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Formats a duration in seconds, such as 5 minutes or 3 days. */
export const span = (seconds: number): string => {
  const units = [
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
  ] as const
  const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, "second"]
  return counted(Math.floor(seconds / size), unit)
}
