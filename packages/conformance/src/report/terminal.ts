import { type Report, type Result, type Verdict, counted } from "../run/result.ts"
import { evidence, printable } from "./exchangeText.ts"
import { notice } from "./json.ts"

/** Styles text if the terminal supports styles. */
export type Style = (name: "red" | "green" | "yellow" | "dim" | "bold", text: string) => string

const colors: Readonly<Record<Verdict, Parameters<Style>[0]>> = {
  pass: "green",
  fail: "red",
  warn: "yellow",
  skip: "dim",
  "not applicable": "dim",
  inconclusive: "yellow",
}

/** Formats a result for the terminal: one line, with the evidence below. */
export const finding = (result: Result, style: Style): string => {
  const { id, paragraph, level, title } = result.requirement
  return [
    `${style(colors[result.verdict], result.verdict)}  ${style("bold", id)}  ${style("dim", `${paragraph}, ${level}`)}`,
    `  ${title}`,
    ...evidence(result)
      .split("\n")
      .map((line) => `    ${line}`),
  ].join("\n")
}

/** Formats the last lines of a run. */
export const summary = (report: Report, style: Style): string => {
  const counts = Object.entries(counted(report)) as ReadonlyArray<[Verdict, number]>
  const parts = counts.filter(([, count]) => count > 0).map(([verdict, count]) => style(colors[verdict], `${count} ${verdict}`))
  return [
    `${printable(report.target)}, ${report.set}: ${parts.join(", ")} in ${(report.duration / 1000).toFixed(1)} s`,
    style("dim", notice),
  ].join("\n")
}
