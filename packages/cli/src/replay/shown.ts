import type { Decided, Difference, Entry, RefusedBy } from "@postern/conformance/recording"
import { printable, styled } from "../terminal/output.ts"

const by = ({ rule, cites, answer, reason }: RefusedBy): string => `${rule} (${cites}) ${answer}: ${reason}`

const decision = ({ outcome, status }: Decided): string => `${outcome} ${status}`

const few = (names: ReadonlyArray<string>): string =>
  names.length <= 6 ? names.join(", ") : `${names.slice(0, 6).join(", ")} and ${names.length - 6} more`

/** Formats the differences of a request, rule by rule. */
export const differenceLines = (
  entry: Pick<Entry, "request" | "at">,
  [before, after]: readonly [Decided, Decided],
  { refuses, refused, gone, added, other }: Difference,
): ReadonlyArray<string> =>
  [
    heading(entry, after),
    `  was             ${decision(before)}`,
    `  now             ${decision(after)}`,
    ...refuses.map((each) => `  refused now by  ${by(each)}`),
    ...refused.map((each) => `  no longer by    ${by(each)}`),
    ...(gone.length === 0 ? [] : [`  not met now     ${few(gone)}`]),
    ...(added.length === 0 ? [] : [`  met now         ${few(added)}`]),
    ...(other.length === 0 ? [] : [`  differs in      ${other.join("; ")}`]),
    ...(after.missing === undefined ? [] : [`  not recorded    ${after.missing.join(", ")}: nobody knows the answer`]),
  ].map((line, at) => (at === 0 ? line : printable(line)))

// Only the styles, added here, are escape sequences. All other text comes from a file and is sanitized.
const heading = ({ request, at }: Pick<Entry, "request" | "at">, { endpoint, client }: Decided): string =>
  styled("bold", printable(`${request}  ${new Date(at).toISOString()}  ${endpoint}${client === undefined ? "" : `  ${client}`}`))

/** Formats a request whose recording leads to another decision than the original one. */
export const unlikeLines = (entry: Entry): ReadonlyArray<string> => {
  const { decided, unlike } = entry
  if (unlike === undefined) return []
  return [
    heading(entry, decided),
    printable(`  when recorded   ${unlike.outcome} ${unlike.status}${unlike.rule === undefined ? "" : ` by ${unlike.rule}`}`),
    printable(`  by its record   ${decision(decided)}: without its secrets it met other rules, so nobody knows how it would be decided`),
  ]
}

/** Formats a count with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
