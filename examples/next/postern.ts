// The provider, one for the process: in development modules are loaded anew when they change.
import type { Provider } from "@postern/core"
import { exampleProvider } from "./provider.ts"

const kept = globalThis as { postern?: Promise<Provider> }

const issuer = process.env["ISSUER"] ?? "http://127.0.0.1:4100/auth"

/** People sign in on a page of this application, `app/sign-in/route.ts`. */
export const postern = (): Promise<Provider> => (kept.postern ??= exampleProvider(issuer, { interactions: { signIn: "/sign-in" } }))
