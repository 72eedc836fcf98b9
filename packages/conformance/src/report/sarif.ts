import type { Report, Result } from "../run/result.ts"
import { evidence } from "./exchangeText.ts"
import { notice } from "./json.ts"
import { addressOf } from "./paragraph.ts"

const levels = { fail: "error", warn: "warning", inconclusive: "warning" } as const

const rule = ({ requirement: { id, title, paragraph, level } }: Result) => {
  const address = addressOf(paragraph)
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: `${title} (${paragraph}, ${level}).` },
    help: { text: `${paragraph}: ${title}.` },
    ...(address === undefined ? {} : { helpUri: address }),
    defaultConfiguration: { level: level === "SHOULD" ? "warning" : "error" },
  }
}

const kindOf = ({ verdict }: Result) =>
  verdict === "fail" || verdict === "warn"
    ? ({ kind: "fail", level: levels[verdict] } as const)
    : verdict === "inconclusive"
      ? ({ kind: "review", level: "none" } as const)
      : ({ kind: verdict === "pass" ? "pass" : "notApplicable", level: "none" } as const)

/** An address of the characters that RFC 3986 §2 allows; the URL standard leaves some others as they are. */
const reference = (uri: string): string => {
  const { origin, href } = new URL(uri)
  return origin + href.slice(origin.length).replaceAll(/["<>\\^`{|}[\]]|[^\x21-\x7e]/g, (character) => encodeURIComponent(character))
}

const place = (result: Result, target: string) => {
  const asked = result.exchanges.at(-1)?.request.split(" ")[1]?.split(/[?#]/)[0]
  const uri = asked ?? target
  return URL.canParse(uri)
    ? [{ physicalLocation: { artifactLocation: { uri: reference(uri) } } }]
    : [{ logicalLocations: [{ name: uri, kind: "resource" }] }]
}

/** The report as SARIF 2.1.0: a rule for each requirement with its paragraph's address, and the endpoint as the place of a finding. */
export const sarif = (report: Report): string =>
  `${JSON.stringify(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        {
          tool: {
            driver: {
              name: "postern conform",
              informationUri: "https://www.npmjs.com/package/@postern/conformance",
              rules: report.results.map(rule),
            },
          },
          invocations: [{ executionSuccessful: true, startTimeUtc: report.startedAt }],
          properties: { target: report.target, set: report.set, note: notice },
          results: report.results.map((result, ruleIndex) => ({
            ruleId: result.requirement.id,
            ruleIndex,
            ...kindOf(result),
            message: { text: evidence(result) || result.requirement.title },
            locations: place(result, report.target),
          })),
        },
      ],
    },
    undefined,
    2,
  )}\n`
