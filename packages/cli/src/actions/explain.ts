import type { Trail, TrailStep } from "@postern/core/model"
import { promised } from "../action.ts"
import type { Whereabouts } from "../data/place.ts"
import { withStores } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { moment, printable, say, sayJson, styled } from "../terminal/output.ts"

const pass = (rule: string): string => `    ${styled("green", "✓")} ${rule}`

const stepLines = ({ table, passed, refused }: TrailStep): ReadonlyArray<string> => [
  `  ${styled("bold", table)}`,
  ...passed.map(pass),
  ...(refused === undefined
    ? []
    : [
        `    ${styled("red", "✗")} ${styled("bold", refused.rule)}  ${styled("dim", refused.cites)}`,
        `      ${printable(refused.reason)}`,
        `      answered: ${refused.answer}`,
      ]),
]

/** Formats a trail for the operator. */
const writeTrail = ({ requestId, at, endpoint, clientId, profile, subject, facts = {}, steps, outcome, status, fault }: Trail): string =>
  [
    `${styled("bold", endpoint)}  ${outcome} ${status}`,
    `  request  ${requestId}`,
    `  at       ${moment(at)}`,
    ...(clientId === undefined ? [] : [`  client   ${printable(clientId)}`]),
    ...(profile === undefined ? [] : [`  profile  ${printable(profile)}`]),
    ...(subject === undefined ? [] : [`  subject  ${printable(subject)}`]),
    ...Object.entries(facts).map(([name, value]) => `  ${name.padEnd(7)}  ${printable(value)}`),
    "",
    ...steps.flatMap(stepLines),
    ...(steps.length === 0 ? ["  No rule was applied."] : []),
    ...(fault === undefined ? [] : ["", `  ${styled("red", "failed")} ${printable(fault.split("\n")[0] ?? "")}`]),
  ].join("\n")

/** Explains the response to a request by its trail. */
export const explainRequest = promised(
  async ({ requestId, json, ...whereabouts }: Whereabouts & { readonly requestId: string; readonly json: boolean }) =>
    withStores(whereabouts, false, async ({ trails }) => {
      const trail = await trails.find(requestId)
      if (trail === undefined) {
        throw failed(
          `there is no trail for ${printable(requestId)}`,
          'trails are kept for 7 days, of refused requests alone unless the configuration says "trail": "all"',
        )
      }
      if (json) return sayJson(trail)
      say(writeTrail(trail))
    }),
)
