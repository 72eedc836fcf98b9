import { type Report, type Result, type Verdict, counted } from "../run/result.ts"
import { printable } from "./exchangeText.ts"
import { notice } from "./json.ts"
import { addressOf } from "./paragraph.ts"

const marks: Readonly<Record<Verdict, string>> = { pass: "✓", fail: "✗", warn: "!", skip: "–", "not applicable": "–", inconclusive: "?" }

/** Escapes text for a table cell, so that it neither ends the cell nor becomes markup. */
const cell = (text: string): string =>
  printable(text)
    .replaceAll(/[\\|<>`*_[\]#&]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll(/\s+/g, " ")

const paragraphOf = (paragraph: string): string => {
  const address = addressOf(paragraph)
  return address === undefined ? cell(paragraph) : `[${cell(paragraph)}](${address})`
}

const row = ({ requirement, verdict, reason = "" }: Result): string =>
  `| ${marks[verdict]} ${verdict} | ${cell(requirement.id)} | ${paragraphOf(requirement.paragraph)} | ${requirement.level} | ${cell(requirement.title)} | ${cell(reason)} |`

const table = (results: ReadonlyArray<Result>): ReadonlyArray<string> => [
  "| | requirement | paragraph | level | it says | found |",
  "| --- | --- | --- | --- | --- | --- |",
  ...results.map(row),
]

/** Renders the report as Markdown for a job summary. Failures come first, the rest is collapsed. */
export const markdown = (report: Report): string => {
  const counts = counted(report)
  const wrong = report.results.filter(({ verdict }) => verdict === "fail" || verdict === "warn" || verdict === "inconclusive")
  const rest = report.results.filter((each) => !wrong.includes(each))
  return [
    `## ${cell(report.target)}: ${cell(report.set)}`,
    "",
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([verdict, count]) => `**${count}** ${verdict}`)
      .join(", "),
    "",
    ...(wrong.length === 0 ? [] : [...table(wrong), ""]),
    "<details><summary>Everything else</summary>",
    "",
    ...table(rest),
    "",
    "</details>",
    "",
    `_${notice}_`,
    "",
  ].join("\n")
}
