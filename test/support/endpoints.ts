import { type IdentityProvider, compose } from "@postern/core"
import { endpointsOf } from "../../packages/core/src/provider/composition.ts"

/** Every endpoint of the default features, with a callback for each of these other providers. */
export const endpointsFor = (upstream: ReadonlyArray<IdentityProvider>) => endpointsOf(compose({}, upstream))

/** Every endpoint of the default features without other providers. */
export const endpoints = endpointsFor([])
