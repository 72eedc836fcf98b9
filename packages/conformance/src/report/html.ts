import { type Report, type Result, type Verdict, counted } from "../run/result.ts"
import { evidence } from "./exchangeText.ts"
import { notice } from "./json.ts"
import { linkOf } from "./paragraph.ts"
import { style } from "./style.ts"
import { escaped } from "./xml.ts"

const order: ReadonlyArray<Verdict> = ["fail", "inconclusive", "warn", "pass", "skip", "not applicable"]

const headings: Readonly<Record<Verdict, string>> = {
  fail: "Failed",
  inconclusive: "Could not be tried",
  warn: "Warnings",
  pass: "Met",
  skip: "Skipped",
  "not applicable": "Not applicable",
}

const item = (result: Result): string => {
  const { id, paragraph, level, title } = result.requirement
  const shown = evidence(result)
  const more =
    result.exchanges.length > 0
      ? `<details><summary>Requests and answers</summary><pre tabindex="0">${escaped(shown)}</pre></details>`
      : result.reason === undefined
        ? ""
        : `<p class="reason">${escaped(result.reason)}</p>`
  const reason = result.exchanges.length > 0 && result.reason !== undefined ? `<p class="reason">${escaped(result.reason)}</p>` : ""
  return `<li><p class="title">${escaped(title)}</p><p class="facts"><code>${escaped(id)}</code> · ${linkOf(paragraph)} · ${level}</p>${reason}${more}</li>`
}

const section = (verdict: Verdict, results: ReadonlyArray<Result>): string => {
  const list = `<ul class="${verdict.replace(" ", "-")}">${results.map(item).join("\n")}</ul>`
  const heading = `${headings[verdict]} <span class="count">${results.length}</span>`
  return verdict === "fail" || verdict === "inconclusive" || verdict === "warn"
    ? `<section><h2>${heading}</h2>${list}</section>`
    : `<section><details><summary><h2>${heading}</h2></summary>${list}</details></section>`
}

/** Renders the report as one HTML file without scripts or external resources. */
export const html = (report: Report): string => {
  const counts = counted(report)
  const met = order.filter((verdict) => counts[verdict] > 0)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(report.target)}: ${escaped(report.set)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(report.target)}</h1>
<p class="lead">${report.results.length} requirements of the set <strong>${escaped(report.set)}</strong>, ${escaped(report.startedAt.replace("T", " ").slice(0, 16))} UTC, ${(report.duration / 1000).toFixed(1)} s</p>
<ul class="counts">${met.map((verdict) => `<li class="${verdict.replace(" ", "-")}"><b>${counts[verdict]}</b> ${escaped(headings[verdict].toLowerCase())}</li>`).join("")}</ul>
${met
  .map((verdict) =>
    section(
      verdict,
      report.results.filter((each) => each.verdict === verdict),
    ),
  )
  .join("\n")}
<footer><p>${escaped(notice)}</p></footer>
</main>
</body>
</html>
`
}
