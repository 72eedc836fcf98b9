import { ruleTables } from "@postern/core"
import type { Line, Shown } from "./line.ts"

/** Finds the heading of the first table that has a rule in the rule reference, as links spell it. */
export const anchorOf = (rule: string): string => {
  const table = ruleTables.find(({ rules }) => rules.some(({ id }) => id === rule))
  return (table?.name ?? "").toLowerCase().replace(/[^a-z0-9 _-]/g, "")
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
/** Outside of code a `<` would begin a tag. */
const prose = (text: string): string => cell(text).replaceAll(/(`[^`]*`)|</g, (_, code: string | undefined) => code ?? "&lt;")

const decidedBy = ({ rules, reason }: Line): string =>
  [...rules.map((rule) => `[\`${rule}\`](rules.md#${anchorOf(rule)})`), ...(reason === undefined ? [] : [prose(reason)])].join("<br>")

/** Titles under the file they are in; what a title is made from is left out of it. */
const shownBy = (tests: ReadonlyArray<Shown>): string =>
  [...new Set(tests.map(({ file }) => file))]
    .map((file) => {
      const titles = tests.filter((each) => each.file === file).map(({ title }) => prose(title.replaceAll(/\$\{[^}]*\}|%[#s]/g, "…")))
      return [`[${file.replace(/^test\//, "")}](../${file})`, ...titles.map((title) => `– ${title}`)].join("<br>")
    })
    .join("<br>")

const quoted = (text: string): string => prose(text.replaceAll(" | ", " · "))

const table = (lines: ReadonlyArray<Line>): ReadonlyArray<string> => [
  "| line | decided by | shown by |",
  "|---|---|---|",
  ...lines.map((line) => `| ${quoted(line.text)} | ${decidedBy(line)} | ${shownBy(line.tests)} |`),
  "",
]

/** The page: each line of the specification, the rules that decide it, the tests that show it. */
export const specificationPage = (lines: ReadonlyArray<Line>): string => {
  const sections = [...new Set(lines.map(({ section }) => section))]
  const pending = lines.filter((line) => line.pending === true)
  return [
    "# Specification",
    "",
    "<!-- Generated from test/specification by `npm run docs`; edits here are lost. -->",
    "",
    `The interface specification in ${lines.length} lines, in its own words: which rules decide each, and which tests show it. \`npm test\` fails when a rule or a`,
    "test named here is gone. The cells of a table row stand apart by a dot.",
    "",
    ...(pending.length === 0
      ? []
      : [
          "## Pending",
          "",
          "What is not wholly so yet.",
          "",
          ...pending.map(({ section, text, reason }) => `- ${section}: “${quoted(text)}” ${prose(reason ?? "")}`),
          "",
        ]),
    ...sections.flatMap((section) => [`## ${section}`, "", ...table(lines.filter((line) => line.section === section))]),
  ].join("\n")
}
