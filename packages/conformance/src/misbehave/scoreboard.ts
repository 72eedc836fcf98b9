import { linkOf } from "../report/paragraph.ts"
import { style } from "../report/style.ts"
import { escaped } from "../report/xml.ts"
import type { Score } from "./ledger.ts"

const own = `table { border-collapse: collapse; width: 100% } th, td { text-align: start; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line) }
caption { text-align: start; font-weight: 600; padding: .5rem 0 } .wide { overflow-x: auto } main { max-width: 85rem } .right { color: var(--good) } .wrong { color: var(--bad) }
td form { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center } td small { flex-basis: 100%; color: var(--quiet); min-width: 9rem }
button { font: inherit; font-size: .875rem; min-height: 1.75rem; min-width: 2.75rem; padding: .1rem .6rem; color: var(--ink); background: var(--card); border: 1px solid var(--quiet); border-radius: .375rem; cursor: pointer }
button:focus-visible, .wide:focus-visible { outline: 2px solid var(--link); outline-offset: 2px } tr:target { background: var(--card) }`

/** Data for the scoreboard's forms. */
export interface BoardForms {
  /** The token that a form must carry. */
  readonly csrf: string
  /** The clients that can receive logout tokens. */
  readonly leaving: ReadonlyArray<string>
}

/** The anchor of a row. It is encoded because a client identifier may contain any character. */
export const anchorOf = (client: string, fault: string): string =>
  `${Buffer.from(client).toString("base64url")}.${encodeURIComponent(fault)}`

const hidden = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`)
    .join("")

/** The question to the person at the client, with its two answers. */
const asking = ({ client, misbehavior: { id, question = "" } }: Score, csrf: string): string => {
  const small = question === "" ? "" : `<small>${escaped(question)}</small>`
  const button = (answer: "yes" | "no", text: string): string =>
    `<button name="answer" value="${answer}" aria-label="${text}: ${escaped(question === "" ? "the client showed a signed-in page" : question)} (${escaped(id)})">${text}</button>`
  return `<form method="post" action="/told">${hidden({ csrf, client, fault: id })}${small}${button("yes", "Yes")}${button("no", "No")}</form>`
}

const row = (score: Score, { csrf }: BoardForms): string => {
  const { client, misbehavior, verdict, right, because } = score
  const mark = verdict === "not reached" ? "" : right ? ' class="right"' : ' class="wrong"'
  const duty = misbehavior.positive ? "accept" : "notice"
  const seen = misbehavior.transform.logout === undefined ? asking(score, csrf) : ""
  return `<tr id="${anchorOf(client, misbehavior.id)}"><th scope="row"><code>${escaped(misbehavior.id)}</code></th><td>${escaped(misbehavior.title)}</td><td>${linkOf(misbehavior.paragraph)}</td><td>${misbehavior.level} ${duty}</td><td${mark}>${verdict}</td><td>${escaped(because)}</td><td>${seen}</td></tr>`
}

const signOut = (client: string, { csrf, leaving }: BoardForms): string =>
  leaving.includes(client)
    ? `<form method="post" action="/sign-out">${hidden({ csrf, client })}<button>Send logout tokens to ${escaped(client)}</button></form>`
    : ""

const table = (client: string, scores: ReadonlyArray<Score>, forms: BoardForms): string => {
  const reached = scores.filter(({ verdict }) => verdict !== "not reached")
  const right = reached.filter((each) => each.right).length
  return `${signOut(client, forms)}<div class="wide" role="region" aria-label="Client ${escaped(client)}" tabindex="0"><table><caption>${escaped(client)}: ${right} of ${reached.length} as they should be, ${scores.length - reached.length} not reached</caption>
<thead><tr><th scope="col">Fault</th><th scope="col">Description</th><th scope="col">Paragraph</th><th scope="col">Duty</th><th scope="col">Observed</th><th scope="col">Because</th><th scope="col">Did the client show a signed-in page?</th></tr></thead>
<tbody>${scores.map((score) => row(score, forms)).join("\n")}</tbody></table></div>`
}

/** Renders the scoreboard as a page without scripts. */
export const scoreboardPage = (scores: ReadonlyArray<Score>, forms: BoardForms): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Scoreboard</title><style>${style}${own}</style></head>
<body><main>
<h1>Faults that the clients noticed</h1>
<p class="lead">Observed by each client's next requests, and by your answers in the last column. A test, and no judgment of a product: the settings of a client count too.</p>
<p><a href="/">Refresh</a></p>
${[...new Set(scores.map(({ client }) => client))]
  .map((client) =>
    table(
      client,
      scores.filter((each) => each.client === client),
      forms,
    ),
  )
  .join("\n")}
</main></body>
</html>
`
