import type { ProviderOptions } from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import { ask, asking, poll } from "./asking.ts"
import { post, token } from "./flows.ts"
import { type World, world } from "./world.ts"

const options = asking()

/** The features whose rows the store of a world with polls keeps. */
export const pollFeatures: NonNullable<ProviderOptions["features"]> = options.more?.features ?? []

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** Each way to poll for what a person has not answered yet. */
export const polls = {
  "device_code (RFC 8628 §3.5)": async (w: World) => {
    const { json } = await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })
    return () => token(w, "tv", { grant_type: deviceGrant, device_code: String(json?.["device_code"]) })
  },
  "auth_req_id (CIBA Core §11)": async (w: World) => {
    const asked = await ask(w)
    return () => poll(w, asked)
  },
}

/** Polls 16 times at once for what waits, and tells the status and error of each answer, in order, and of two polls after them: one too soon, one that waited long enough. */
export const polledAtOnce = async (tokens: TokenStorePort, name: keyof typeof polls) => {
  const w = await world({ ...options, tokens })
  const send = await polls[name](w)
  const said = async () => {
    const { status, json } = await send()
    return `${status} ${String(json?.["error"])}`
  }
  const first = (await Promise.all(Array.from({ length: 16 }, said))).toSorted()
  const soon = await said()
  w.pass(100)
  return { first, soon, late: await said(), reports: w.reports }
}

/** The answers that polls at once have: each by rule, whoever was faster. */
export const answeredByRule = {
  first: ["400 authorization_pending", ...Array.from({ length: 15 }, () => "400 slow_down")],
  soon: "400 slow_down",
  late: "400 authorization_pending",
  reports: [],
}
