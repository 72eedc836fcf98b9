import { type Profile, governed, profiles, ruleTables } from "@postern/core"
import { resourceTables } from "@postern/verify"
import { cases } from "../cases/index.ts"
import { cases as resourceCases } from "../verify/cases.ts"
import { registrationCases } from "../cases/registration.ts"
import "../specification/main.ts"
import "./api.ts"
import "./architecture.ts"
import { publish } from "./publish.ts"

/** Writes `docs/rules.md` from the rule tables and the cases that show each rule, and `docs/specification.md`; with `--check`, fails when one differs. */
const all = [...Object.values(cases).flat(), ...registrationCases]

const shownBy = (id: string, from: ReadonlyArray<Pick<(typeof all)[number], "rule" | "title">> = all): string => {
  const titles = from.filter(({ rule }) => rule === id).map(({ title }) => title.replace(/^.*?: /s, ""))
  const [first = ""] = titles
  const sentence = first.replaceAll("|", "\\|")
  return titles.length > 1 ? `${sentence} (and ${titles.length - 1} more)` : sentence
}

const section = ({ name, rules }: (typeof resourceTables)[number], heading = "##", from?: Parameters<typeof shownBy>[1]): string =>
  [
    `${heading} ${name}`,
    "",
    "| rule | paragraph | shown by the case |",
    "|---|---|---|",
    ...rules.map(({ id, cites }) => `| \`${id}\` | ${cites} | ${shownBy(id, from)} |`),
    "",
  ].join("\n")

/** The rules of `@postern/verify` that are its own; those of proofs are the provider's. */
const resourceSection = (): string => {
  const known = new Set(ruleTables.flatMap(({ rules }) => rules.map(({ id }) => id)))
  const own = resourceTables.map(({ name, rules }) => ({ name, rules: rules.filter(({ id }) => !known.has(id)) }))
  return [
    "## Resource servers",
    "",
    "An API that [@postern/verify](resource-servers.md) protects is decided by these rules, and by those of DPoP proofs above. `verdict.refused.rule` names the one that refused.",
    "",
    ...own.filter(({ rules }) => rules.length > 0).map((table) => section(table, "###", resourceCases)),
  ].join("\n")
}

/** A parameter of a profile as the reference shows it. */
const shown = (value: string | ReadonlyArray<string>): string =>
  typeof value === "string" ? value : value.length === 0 ? "none" : value.map((each) => `\`${each}\``).join(", ")

/** The rules that are off in some profile, or have a parameter of it. */
const profileSection = (): string => {
  const parameters = Object.keys(governed) as ReadonlyArray<keyof Profile["parameters"]>
  const off = [...new Set(profiles.flatMap((profile) => [...profile.off]))]
  return [
    "## Profiles",
    "",
    "A profile says which rules hold for a client, and with which parameter. `profile` of the client's metadata names it, or `profile` of the provider.",
    "",
    `| rules | ${profiles.map(({ name }) => `\`${name}\``).join(" | ")} |`,
    `|---|${profiles.map(() => "---|").join("")}`,
    ...parameters.map(
      (name) =>
        `| ${governed[name].map((rule) => `\`${rule}\``).join(", ")} | ${profiles.map((each) => shown(each.parameters[name])).join(" | ")} |`,
    ),
    ...off.map((rule) => `| \`${rule}\` | ${profiles.map((each) => (each.off.has(rule) ? "off" : "on")).join(" | ")} |`),
    `| source | ${profiles.map(({ cites }) => cites).join(" | ")} |`,
    "",
  ].join("\n")
}

const count = new Set(ruleTables.flatMap(({ rules }) => rules.map(({ id }) => id))).size
const text = [
  "# Rules",
  "",
  "<!-- Generated from the rule tables by `npm run docs`; edits here are lost. -->",
  "",
  `Every answer of Postern is decided by these ${count} rules, applied in this order. A refusal names its rule: find it with`,
  "`postern explain REQUEST-ID`, where the request id is the `x-request-id` header of the answer or stands on the error page.",
  "",
  ...ruleTables.map((table) => section(table)),
  resourceSection(),
  profileSection(),
].join("\n")

publish("docs/rules.md", text, `${count} rules`)
