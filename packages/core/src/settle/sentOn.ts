import { browserRules, sentOnRules } from "../rules/browser.ts"
import { longestRequest } from "../rules/length.ts"
import { type PageRefusal, toPage } from "../rules/page.ts"
import type { Browser } from "./browser.ts"
import type { Asked } from "./endpoint.ts"
import { go } from "./pages.ts"
import { type Message, isForm, readPairs, writeParams } from "../wire/index.ts"
import { type Stage, row, where } from "./stage.ts"

/** A request and its browser. */
export interface Come extends Asked {
  readonly browser: Browser
}

/** Redirects a browser that posted a form without our cookies to make the same request by GET, at a path of the provider. */
export const sentOn = (path: string): Stage<Come, object> => {
  const asked = row<Come, PageRefusal>(toPage)
  const onward = asked
    .read(({ message: { body } }) => ({ to: body.length > longestRequest ? undefined : `${path}?${writeParams(readPairs(body))}` }))
    .judge(sentOnRules)
    .decide(({ to }) => go(to))
  const posted = asked.judge(browserRules, (_, seen, inquiry) => onward.attempt(seen, inquiry))
  return { ...where(({ message }) => isPostedForm(message), posted), tables: [...posted.tables, ...onward.tables] }
}

const isPostedForm = ({ method, headers }: Message): boolean => method === "POST" && isForm(headers["content-type"])
