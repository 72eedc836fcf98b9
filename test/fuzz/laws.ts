import { type Answer, ruleTables } from "@postern/core"
import type { World } from "../support/world.ts"
import type { Sent } from "./mutations.ts"

/** Longer than any answer takes on the slowest machine, in milliseconds: whoever waits for more waits for ever. */
const patience = 10_000

/** Asks a world, and says what law the answer breaks; undefined when it breaks none. */
export const broken = async (w: World, sent: Sent): Promise<string | undefined> => {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), patience)))
  const answer = await Promise.race([w.send(sent), late]).catch((cause: unknown) => `it rejected: ${String(cause)}`)
  clearTimeout(timer)
  if (answer === undefined || performance.now() - began > patience) return "no answer in time"
  if (typeof answer === "string") return answer
  return wrongAnswer(answer)
}

/** What is wrong with an answer, whatever was asked. */
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
  return undefined
}

/** How many rules there are; a campaign tells how many of them it has made refuse. */
export const ruleCount = new Set(ruleTables.flatMap(({ rules }) => rules.map(({ id }) => id))).size
