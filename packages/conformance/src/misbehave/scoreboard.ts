import type { ServerResponse } from "node:http"
import { addressOf } from "../report/paragraph.ts"
import { style } from "../report/style.ts"
import { escaped } from "../report/xml.ts"
import type { Score } from "./ledger.ts"

const own = `table { border-collapse: collapse; width: 100% } th, td { text-align: start; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line) }
caption { text-align: start; font-weight: 600; padding: .5rem 0 } .wide { overflow-x: auto } main { max-width: 75rem } .right { color: var(--good) } .wrong { color: var(--bad) }`

const paragraphOf = (paragraph: string): string => {
  const address = addressOf(paragraph)
  return address === undefined ? escaped(paragraph) : `<a href="${escaped(address)}">${escaped(paragraph)}</a>`
}

const row = ({ misbehavior, verdict, right, because }: Score): string => {
  const mark = verdict === "not reached" ? "" : right ? ' class="right"' : ' class="wrong"'
  const duty = misbehavior.positive ? "accept" : "notice"
  return `<tr><th scope="row"><code>${escaped(misbehavior.id)}</code></th><td>${escaped(misbehavior.title)}</td><td>${paragraphOf(misbehavior.paragraph)}</td><td>${misbehavior.level} ${duty}</td><td${mark}>${verdict}</td><td>${escaped(because)}</td></tr>`
}

const table = (client: string, scores: ReadonlyArray<Score>): string => {
  const reached = scores.filter(({ verdict }) => verdict !== "not reached")
  const right = reached.filter((each) => each.right).length
  return `<div class="wide" role="region" aria-label="Client ${escaped(client)}" tabindex="0"><table><caption>${escaped(client)}: ${right} of ${reached.length} as they should be, ${scores.length - reached.length} not reached</caption>
<thead><tr><th scope="col">Fault</th><th scope="col">What is wrong or unusual</th><th scope="col">Paragraph</th><th scope="col">Duty</th><th scope="col">Observed</th><th scope="col">Because</th></tr></thead>
<tbody>${scores.map(row).join("\n")}</tbody></table></div>`
}

/** The scoreboard as a page without scripts. */
export const scoreboardPage = (scores: ReadonlyArray<Score>): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Scoreboard</title><style>${style}${own}</style></head>
<body><main>
<h1>What the clients noticed</h1>
<p class="lead">Observed by what each client did next. A test, and no judgment of a product: the settings of a client count too.</p>
<p><a href="/">Refresh</a></p>
${[...new Set(scores.map(({ client }) => client))]
  .map((client) =>
    table(
      client,
      scores.filter((each) => each.client === client),
    ),
  )
  .join("\n")}
</main></body>
</html>
`

/** Answers with the scoreboard. */
export const scoreboard = (response: ServerResponse, scores: ReadonlyArray<Score>): void => {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  }
  response.writeHead(200, headers).end(scoreboardPage(scores))
}
