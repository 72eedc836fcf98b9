import type { Report, Result } from "../run/result.ts"
import { evidence, printable } from "./exchangeText.ts"
import { notice } from "./json.ts"

/** Escapes text for a line of TAP, where `#` begins a directive. */
const line = (text: string): string =>
  printable(text)
    .replaceAll("\\", "\\\\")
    .replaceAll("#", "\\#")
    .replaceAll(/[\r\n]+/g, " ")

const diagnostics = (result: Result): ReadonlyArray<string> => [
  "  ---",
  `  paragraph: ${JSON.stringify(result.requirement.paragraph)}`,
  `  level: ${result.requirement.level}`,
  "  evidence: |",
  ...evidence(result)
    .split(/\r\n|\r|\n/)
    .map((each) => `    ${each}`),
  "  ...",
]

const lines = (result: Result, number: number): ReadonlyArray<string> => {
  const { verdict, reason = "", requirement } = result
  const name = `${number} - ${line(`${requirement.id}: ${requirement.title}`)}`
  if (verdict === "pass") return [`ok ${name}`]
  if (verdict === "warn") return [`ok ${name} # TODO ${line(reason)}`, ...diagnostics(result)]
  if (verdict === "skip" || verdict === "not applicable") return [`ok ${name} # SKIP ${line(`${verdict}: ${reason}`)}`]
  return [`not ok ${name}`, ...diagnostics(result)]
}

/** Renders the report as TAP 14. An inconclusive requirement is `not ok`, an untried one is skipped, and a warning is a TODO. */
export const tap = (report: Report): string =>
  [
    "TAP version 14",
    `1..${report.results.length}`,
    `# ${line(`${report.target} (${report.set})`)}`,
    `# ${line(notice)}`,
    ...report.results.flatMap((result, at) => lines(result, at + 1)),
    "",
  ].join("\n")
