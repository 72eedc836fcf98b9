import type { PendingAuthorization } from "../../model/index.ts"
import { mapped, together } from "../../ports/steps.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { type PageRefusal, toPage } from "../../rules/page.ts"
import { loadAuthorization, loadBrowser } from "../../settle/browser.ts"
import type { Asked } from "../../settle/endpoint.ts"
import type { Inquiry } from "../../settle/request.ts"
import { row } from "../../settle/stage.ts"
import { paramsOf, readParams } from "../../wire/index.ts"
import type { AnsweredPage, Waiting } from "./evidence.ts"
import { findClient } from "./load.ts"
import { authorizeRequest } from "./parse.ts"

const keptRequest = ({ params }: PendingAuthorization, { ports }: Inquiry) =>
  authorizeRequest(paramsOf(params), true, 0, ports.settings.authorizationParameters)

/** Loads the request of a browser that comes back by itself. */
export const comeBack = row<Asked, PageRefusal>(toPage)
  .read(({ message }, inquiry) => {
    const handle = readParams(message.query).one("interaction") ?? ""
    return together({ handle, now: inquiry.now, browser: loadBrowser(message, inquiry), interaction: loadAuthorization(handle, inquiry) })
  })
  .judge(interactionRules)
  .read(({ interaction, handle }, inquiry) => {
    const request = keptRequest(interaction, inquiry)
    const waiting: Waiting = { interaction, handle, page: undefined }
    return mapped(findClient(request.clientId, inquiry), (client) => ({ ...request, client, waiting }))
  })

/** Loads the request that a page was shown for. */
export const comeFromPage = row<AnsweredPage, PageRefusal>(toPage).read(
  ({ interaction, handle, commands, choice, isNew, cookies, person, consent }, inquiry) => {
    const waiting: Waiting = { interaction, handle, page: { commands, choice, isNew, cookies, person, consent } }
    return { ...keptRequest(interaction, inquiry), waiting }
  },
)
