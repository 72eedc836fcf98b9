import { readFileSync, writeFileSync } from "node:fs"
import { ruleTables } from "@postern/core"
import { cases } from "../cases/index.ts"
import { registrationCases } from "../cases/registration.ts"

/** Writes `docs/rules.md` from the rule tables and the cases that show each rule; with `--check`, fails when it differs. */
const target = new URL("../../docs/rules.md", import.meta.url)
const all = [...Object.values(cases).flat(), ...registrationCases]

const shownBy = (id: string): string => {
  const titles = all.filter(({ rule }) => rule === id).map(({ title }) => title.slice(title.indexOf(": ") + 2))
  const [first = ""] = titles
  const sentence = first.replaceAll("|", "\\|")
  return titles.length > 1 ? `${sentence} (and ${titles.length - 1} more)` : sentence
}

const section = ({ name, rules }: (typeof ruleTables)[number]): string =>
  [
    `## ${name}`,
    "",
    "| rule | paragraph | shown by the case |",
    "|---|---|---|",
    ...rules.map(({ id, cites }) => `| \`${id}\` | ${cites} | ${shownBy(id)} |`),
    "",
  ].join("\n")

const count = new Set(ruleTables.flatMap(({ rules }) => rules.map(({ id }) => id))).size
const text = [
  "# Rules",
  "",
  "<!-- Generated from the rule tables by `npm run docs`; edits here are lost. -->",
  "",
  `Every answer of Postern is decided by these ${count} rules, applied in this order. A refusal names its rule: find it with`,
  "`postern explain REQUEST-ID`, where the request id is the `x-request-id` header of the answer or stands on the error page.",
  "",
  ...ruleTables.map(section),
].join("\n")

const kept = (): string => {
  try {
    return readFileSync(target, "utf8")
  } catch {
    return ""
  }
}

if (!process.argv.includes("--check")) {
  writeFileSync(target, text)
  process.stdout.write(`docs/rules.md: ${count} rules\n`)
} else if (kept() === text) {
  process.stdout.write("docs/rules.md agrees with the rule tables\n")
} else {
  process.stderr.write("docs/rules.md differs from the rule tables: run npm run docs\n")
  process.exitCode = 1
}
