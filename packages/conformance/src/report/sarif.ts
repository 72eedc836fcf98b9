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

/** Escapes a URL's characters that RFC 3986 §2 does not allow, because the URL standard leaves some of them unescaped. */
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

/**
 * Renders the report as SARIF 2.1.0, with a rule for each requirement that links to its paragraph, and the endpoint as the location of a
 * result.
 */
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
