import { AsyncLocalStorage } from "node:async_hooks"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Delivered } from "./misbehavior.ts"

const underWay = new AsyncLocalStorage<ServerResponse>()

/** A listener whose responses can be dropped or delayed. */
export const deliverable =
  (listener: (request: IncomingMessage, response: ServerResponse) => void) =>
  (request: IncomingMessage, response: ServerResponse): void =>
    underWay.run(response, () => listener(request, response))

/** Drops the response to the current request, or delays it by milliseconds. Reports whether the client disconnected meanwhile. */
export const deliver = async (delivery: Delivered["delivery"], patience: number): Promise<boolean> => {
  const response = underWay.getStore()
  if (response === undefined || delivery === undefined) return false
  if (delivery === "lost") {
    response.destroy()
    return false
  }
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patience)
    response.once("close", () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
