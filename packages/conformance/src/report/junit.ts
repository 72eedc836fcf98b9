import { type Report, type Result, counted } from "../run/result.ts"
import { evidence } from "./exchangeText.ts"
import { notice } from "./json.ts"
import { escaped } from "./xml.ts"

const seconds = (millis: number): string => (millis / 1000).toFixed(3)

const inside = (result: Result): string => {
  const { verdict, reason = "" } = result
  if (verdict === "pass") return ""
  if (verdict === "fail") return `<failure message="${escaped(reason)}">${escaped(evidence(result))}</failure>`
  if (verdict === "inconclusive") return `<error message="${escaped(reason)}">${escaped(evidence(result))}</error>`
  if (verdict === "warn") return `<system-out>warning: ${escaped(evidence(result))}</system-out>`
  return `<skipped message="${escaped(`${verdict}: ${reason}`)}"/>`
}

const testcase = (result: Result): string => {
  const { id, paragraph, title } = result.requirement
  return `  <testcase classname="${escaped(paragraph)}" name="${escaped(`${id}: ${title}`)}" time="${seconds(result.duration)}">${inside(result)}</testcase>`
}

/** Renders the report as JUnit XML, with a test case for each requirement and its paragraph as the class. */
export const junit = (report: Report): string => {
  const { fail, inconclusive, skip, "not applicable": none } = counted(report)
  const facts = `tests="${report.results.length}" failures="${fail}" errors="${inconclusive}" skipped="${skip + none}" time="${seconds(report.duration)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="postern conform" ${facts}>`,
    ` <testsuite name="${escaped(`${report.target} (${report.set})`)}" timestamp="${escaped(report.startedAt)}" ${facts}>`,
    `  <properties><property name="note" value="${escaped(notice)}"/></properties>`,
    ...report.results.map(testcase),
    " </testsuite>",
    "</testsuites>",
    "",
  ].join("\n")
}
