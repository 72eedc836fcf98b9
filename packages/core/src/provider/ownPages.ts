import type { OwnWay } from "../features/ownPages.ts"
import { awaitable } from "../ports/steps.ts"
import { pageLocales } from "./locales.ts"
import { reportUnread } from "./record.ts"
import { renderJson } from "./renderJson.ts"
import { type Serving, answerBy } from "./route.ts"

/** Refuses a call for which the provider has no feature. */
const unable = async (): Promise<never> => {
  throw new TypeError("the provider has no feature with pages of an embedder's own: give it `interaction`")
}

/** Creates the functions for an embedder's own pages. */
export const ownWayOf = (serving: Serving): OwnWay => {
  const made = serving.provider.features.find(({ ownPages }) => ownPages !== undefined)?.ownPages
  if (made === undefined) return { interaction: unable, resume: unable }
  return made({
    answer: async (endpoint, message, call, form) =>
      awaitable(answerBy(serving, endpoint, message, call, form === "json" ? renderJson : undefined)),
    locales: pageLocales,
    unread: (fault) => reportUnread(serving.ports.report, fault),
  })
}
