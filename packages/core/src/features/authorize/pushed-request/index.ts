import type * as Effect from "effect/Effect"
import { type Handle, type PushedRequest, readHandle } from "../../../model/index.ts"
import type { PortFailed } from "../../../ports/index.ts"
import { mapped } from "../../../ports/steps.ts"
import { type PageRefusal, toPage } from "../../../rules/page.ts"
import { type Inquiry, findBy } from "../../../settle/request.ts"
import { row, where } from "../../../settle/stage.ts"
import { paramsOf } from "../../../wire/index.ts"
import type { Answerable, Asking, Loaded, Resuming, Waiting } from "../evidence.ts"
import { refuseByPage, sendError } from "../outcome.ts"
import { authorizeRequest } from "../parse.ts"
import { pushedUri } from "./metadata.ts"
import { goingOnRules, pushedRules, pushingRules } from "./rules.ts"

const handleOf = (uri = ""): Handle | undefined => (uri.startsWith(pushedUri) ? readHandle("p", uri.slice(pushedUri.length)) : undefined)

const find = (handle: Handle | undefined, { ports }: Inquiry): Effect.Effect<PushedRequest | undefined, PortFailed> =>
  mapped(
    findBy(ports, handle, ports.tokens.findInteraction, ({ digest }) => digest),
    (found) => (found?.kind === "pushed" ? found : undefined),
  )

/** Loads the pushed request that a `request_uri` refers to. Only its parameters count, and none that stand beside it (RFC 9126 §4). */
export const fetched = row<Asking, PageRefusal>(toPage)
  .read(({ params }, inquiry) => mapped(find(handleOf(params.one("request_uri")), inquiry), (found) => ({ found, now: inquiry.now })))
  .judge(pushedRules)
  .read(({ pushed, parameters }) => authorizeRequest(paramsOf(pushed.params), true, 0, parameters))

type WaitingPushed = Asking & { readonly waiting: Waiting }

const isPushed = ({ waiting }: Resuming): boolean => waiting?.interaction.pushed !== undefined

/** Judges whether the pushed request behind a waiting request may still be used. */
export const goesOn = where(
  isPushed,
  row<WaitingPushed, PageRefusal>(refuseByPage)
    .read(({ waiting }, { ports }) =>
      mapped(ports.tokens.findInteraction(waiting.interaction.pushed ?? ""), (found) => ({
        found: found?.kind === "pushed" ? found : undefined,
      })),
    )
    .judge(goingOnRules),
)

/** Refuses a request that was not pushed although it had to be. */
export const notPushed = row<Asking & Loaded & Answerable>(sendError).judge(pushingRules)
