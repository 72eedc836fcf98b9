import { ruleTables } from "@postern/core"
import { cases } from "../cases/index.ts"
import { registrationCases } from "../cases/registration.ts"
import "../specification/main.ts"
import { publish } from "./publish.ts"

/** Writes `docs/rules.md` from the rule tables and the cases that show each rule, and `docs/specification.md`; with `--check`, fails when one differs. */
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

publish("docs/rules.md", text, `${count} rules`)
