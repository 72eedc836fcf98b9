import * as Effect from "effect/Effect"
import type { Json } from "../model/index.ts"
import type { Inquiry } from "../settle/request.ts"
import { responseParams } from "../settle/sign.ts"
import type { Settled } from "../settle/settle.ts"
import { type Message, withParams } from "../wire/index.ts"
import { setCookies } from "./headers.ts"
import type { Written } from "./pageAnswer.ts"
import { errorJson, json, placeOf, render } from "./render.ts"

/** Renders a settled decision for a script that continues by itself: the URL to open, the form to post, or the error. */
export const renderJson = (settled: Settled, message: Message, inquiry: Inquiry): Effect.Effect<Written> => {
  const { decision, signed, jwt } = settled
  const { settings } = inquiry.ports
  const told = (body: Readonly<Record<string, Json>>, cookies: Parameters<typeof setCookies>[0] = []): Effect.Effect<Written> => {
    const answer = json(200, body)
    return Effect.succeed({ answer: { ...answer, headers: [...answer.headers, ...setCookies(cookies, inquiry)] } })
  }
  switch (decision._tag) {
    case "SendBack": {
      const { callback, cookies } = decision
      const params = jwt === undefined ? responseParams(decision, signed, settings.issuer) : ([["response", jwt]] as const)
      const delivery = callback.mode.deliver(params, callback)
      if (!("page" in delivery)) return told({ location: delivery.uri }, cookies)
      const { page } = delivery
      return page._tag === "FormPost"
        ? told({ form: { action: page.action, fields: page.fields.map((field) => [...field]) } }, cookies)
        : render(settled, message, inquiry)
    }
    case "Go":
      return told({ location: placeOf(decision.to, settings) }, decision.cookies)
    case "Leave":
      return told(
        { location: decision.params.length === 0 ? decision.to : withParams(decision.to, "?", decision.params) },
        decision.cookies,
      )
    case "Show":
      // Of the pages that follow an answer, only the end of a device's sign-in has no URL of its own.
      return told({ page: decision.page._tag }, decision.cookies)
    case "RefusePage": {
      const { refusal, trouble, status } = decision
      const body = { error: refusal.error, error_description: refusal.description, trouble }
      return Effect.succeed({ answer: { ...errorJson(refusal), status, body: JSON.stringify(body) } })
    }
    default:
      return render(settled, message, inquiry)
  }
}
