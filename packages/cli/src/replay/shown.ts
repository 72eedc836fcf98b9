import type { Decided, Difference, Entry, RefusedBy } from "@postern/conformance/recording"
import { printable, styled } from "../terminal/output.ts"

const by = ({ rule, cites, answer, reason }: RefusedBy): string => `${rule} (${cites}) ${answer}: ${reason}`

const decision = ({ outcome, status }: Decided): string => `${outcome} ${status}`

const few = (names: ReadonlyArray<string>): string =>
  names.length <= 6 ? names.join(", ") : `${names.slice(0, 6).join(", ")} and ${names.length - 6} more`

/** Lines that tell of one request what differs, rule by rule. */
export const differenceLines = (
  { request, at }: Pick<Entry, "request" | "at">,
  [before, after]: readonly [Decided, Decided],
  { refuses, refused, gone, added, other }: Difference,
): ReadonlyArray<string> =>
  [
    styled("bold", `${request}  ${new Date(at).toISOString()}  ${after.endpoint}${after.client === undefined ? "" : `  ${after.client}`}`),
    `  was             ${decision(before)}`,
    `  now             ${decision(after)}`,
    ...refuses.map((each) => `  refused now by  ${by(each)}`),
    ...refused.map((each) => `  no longer by    ${by(each)}`),
    ...(gone.length === 0 ? [] : [`  not met now     ${few(gone)}`]),
    ...(added.length === 0 ? [] : [`  met now         ${few(added)}`]),
    ...(other.length === 0 ? [] : [`  differs in      ${other.join("; ")}`]),
    ...(after.missing === undefined ? [] : [`  not recorded    ${after.missing.join(", ")}: nobody knows the answer`]),
  ].map(printableLine)

// Styles are escape sequences of our own; everything else comes from a file.
const printableLine = (line: string, at: number): string => (at === 0 ? line : printable(line))

/** A number of things, by their name. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
