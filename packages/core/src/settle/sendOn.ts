import type { Decision } from "../model/index.ts"
import { browserRules, sentOnRules } from "../rules/browser.ts"
import { longestRequest } from "../rules/length.ts"
import { toPage } from "../rules/page.ts"
import { judge } from "../rules/rule.ts"
import type { Browser } from "./browser.ts"
import type { Inquiry } from "./request.ts"
import { type Message, isForm, readPairs, writeParams } from "../wire/index.ts"

/** Sends a browser that posted a form without our cookies on to make the same request by GET; undefined for any other request. */
export const sendOn = (path: string, message: Message, browser: Browser, { trace }: Inquiry): Decision | undefined => {
  if (message.method !== "POST" || !isForm(message.headers["content-type"])) return undefined
  if (judge(trace, browserRules, { browser }) === undefined) return undefined
  const to = message.body.length > longestRequest ? undefined : `${path}?${writeParams(readPairs(message.body))}`
  const refusal = judge(trace, sentOnRules, { to })
  return refusal === undefined ? { _tag: "Go", to: to ?? path, cookies: [], commands: [] } : toPage(refusal)
}
