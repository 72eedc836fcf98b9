import { join } from "node:path"
import { type Answer, ruleTables } from "@postern/core"
import type { PagesPort } from "@postern/core/ports"
import { liquidPages } from "@postern/adapter-http/pages"
import { type QuickOptions, quickWorld } from "../properties/quickWorld.ts"
import type { World } from "../support/world.ts"
import type { Sent } from "./mutations.ts"

/** Root of this tree. */
const root = join(import.meta.dirname, "..", "..")

/** Longer than any answer takes, in milliseconds, on a machine that is busy too. */
const patience = 5_000

/** Asks a world, and says what law the answer breaks; undefined when it breaks none. */
export const broken = async (w: Pick<World, "send" | "trails">, sent: Sent): Promise<string | undefined> => {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patience)))
  const answer = await Promise.race([w.send(sent), late]).catch((cause: unknown) => `it rejected: ${String(cause)}`)
  clearTimeout(timer)
  if (answer === undefined || performance.now() - began > patience) return "no answer in time"
  if (typeof answer === "string") return answer
  const wrong = wrongAnswer(answer)
  return wrong === undefined ? undefined : `${wrong}${faultOf(w)}`
}

const faultOf = ({ trails }: Pick<World, "trails">): string => {
  const fault = trails.at(-1)?.fault
  return fault === undefined ? "" : ` (${fault})`
}

/** Finds the faults of an answer that no request may get. */
const wrongAnswer = ({ status, headers, body }: Answer): string | undefined => {
  if (!Number.isInteger(status) || status < 200 || status >= 500) return `status ${status}`
  for (const [name, value] of headers) {
    if (!/^[a-z0-9-]+$/u.test(name)) return `the name of a header: ${JSON.stringify(name)}`
    // Anything else cannot be sent: node throws on it, and that would be a 500.
    if (!/^[\t\x20-\x7e]*$/u.test(value)) return `the value of ${name}: ${JSON.stringify(value)}`
    if (name === "location" && !URL.canParse(value, "https://op.example")) return `the place to go: ${value}`
  }
  const repeated = headers.map(([name]) => name).filter((name, at, all) => name !== "set-cookie" && all.indexOf(name) !== at)
  if (repeated.length > 0) return `headers twice: ${repeated.join(" ")}`
  const type = headers.find(([name]) => name === "content-type")?.[1] ?? ""
  // The pages of a quick world are JSON too.
  if ((type === "application/json" || type.startsWith("text/html")) && body !== "") {
    try {
      JSON.parse(body)
    } catch {
      return `a body that is no JSON: ${body.slice(0, 200)}`
    }
  }
  return tellsInside(body)
}

/** Finds a trace of the program's making in a text: a line of a stack, or a path of this tree. Undefined without one. */
export const tellsInside = (text: string): string | undefined => {
  const found =
    /\n\s*at [^\n]*:\d+:\d+|node_modules|file:\/\/\/|[\w)]\.[mc]?[jt]s:\d+/u.exec(text)?.[0] ?? (text.includes(root) ? root : undefined)
  return found === undefined ? undefined : `it tells of the inside: ${JSON.stringify(found)}`
}

/** Tells if a page holds markup that was sent to it. */
export const reflects = (html: string): boolean => /<svg onload|<img src=x|<script>|(?:href|src|action)="javascript:/u.test(html)

const shown = liquidPages()

/** Pages as the tests read them; what people would see is made too, and must not hold what was sent as it was sent. */
const watchedPages: PagesPort = {
  render: (page, context) => {
    if (reflects(shown.render(page, context))) throw new Error(`the page ${page._tag} shows unescaped what it was sent`)
    return JSON.stringify({ ...page, locales: context.locales, requestId: context.requestId })
  },
}

/** A quick world whose pages are the shipped ones. */
export const fuzzedWorld = (options: QuickOptions = {}): World => quickWorld({ ...options, more: { pages: watchedPages, ...options.more } })

/** Number of rules; a campaign tells how many of them it has made refuse. */
export const ruleCount = new Set(ruleTables.flatMap(({ rules }) => rules.map(({ id }) => id))).size
