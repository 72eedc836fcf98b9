import type { Limited } from "../ports/index.ts"
import { authenticated } from "./client.ts"
import type { Asked } from "./endpoint.ts"
import { form, refuseJson } from "./programs.ts"
import { addressLimited, clientLimited } from "./rate.ts"
import { row } from "./stage.ts"

/**
 * Begins the row of an endpoint that accepts a form from an authenticated client, within the rate limits of its address and of the client.
 */
export const limitedForm = (endpoint: string, limits: { readonly address: Limited; readonly client: Limited }) =>
  row<Asked>(refuseJson)
    .through(addressLimited(endpoint, limits.address))
    .through(form(endpoint))
    .through(authenticated)
    .through(clientLimited(endpoint, limits.client))
