import type { IdentityProvider } from "@postern/core"
import { compose, endpointsOf } from "../../packages/core/src/provider/compose.ts"

/** Every endpoint of the default features, with a callback for each of these other providers. */
export const endpointsFor = (upstream: ReadonlyArray<IdentityProvider>) => endpointsOf(compose({}, upstream))

/** Every endpoint of the default features without other providers. */
export const endpoints = endpointsFor([])
