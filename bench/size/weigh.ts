import { gzipSync } from "node:zlib"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build } from "esbuild"

// Weighs providers as an embedder's bundle has them: esbuild, minified, for no platform in particular.

/** The weight of a bundle in bytes. */
export interface Weight {
  readonly minified: number
  readonly gzip: number
  /** Minified bytes that come from effect, from jose and from our own packages. */
  readonly from: Readonly<Record<"effect" | "jose" | "postern", number>>
}

/** The least with which people sign in, and programs too: codes, refresh tokens, client credentials, discovery, and the pages of a sign-in. */
export const least = [
  "discovery",
  "jwks",
  "authorize",
  "responseModes",
  "login",
  "consent",
  "token",
  "clientAuthentication",
  "authorizationCode",
  "refreshToken",
  "clientCredentials",
] as const

const options: BuildOptions = {
  bundle: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["browser"],
  target: "es2024",
  write: false,
  metafile: true,
  logLevel: "silent",
}

const origins = { effect: /node_modules\/effect\//, jose: /node_modules\/jose\//, postern: /packages\/(?:core|verify)\/src\// } as const

/** Weighs a program that is given as text. */
export const weigh = async (contents: string): Promise<Weight> => {
  const stdin = { contents, resolveDir: fileURLToPath(new URL("../", import.meta.url)), sourcefile: "program.ts", loader: "ts" } as const
  const { outputFiles = [], metafile } = await build({ ...options, stdin })
  const [{ contents: bytes } = { contents: new Uint8Array() }] = outputFiles
  const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs))
  const sum = (origin: RegExp): number =>
    inputs.reduce((total, [file, { bytesInOutput }]) => total + (origin.test(file) ? bytesInOutput : 0), 0)
  return {
    minified: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    from: { effect: sum(origins.effect), jose: sum(origins.jose), postern: sum(origins.postern) },
  }
}

/** Writes a program that has a provider of some features, and the signer over jose that decrypts nothing. */
export const programOf = (features: ReadonlyArray<string>): string => `
import * as postern from "@postern/core/provider"
import { joseJwsSigner } from "@postern/core/jose"
export const open = (options, keys) =>
  postern.createProvider({ ...options, signer: joseJwsSigner(keys), features: [${features.map((each) => `postern.${each}`).join(", ")}] })
`

/** A program that protects an API by `@postern/verify`, in a runtime with web-standard requests. */
export const guarded = `
import { resourceServer } from "../packages/verify/src/index.ts"
import { protect } from "../packages/verify/src/fetch.ts"
export const open = (options, operation) => protect(resourceServer(options), {}, operation)
`

/** A program that has a provider of all features, and the signer over jose. */
export const whole = `
import { createProvider } from "@postern/core"
import { joseSigner } from "@postern/core/jose"
export const open = (options, keys) => createProvider({ ...options, signer: joseSigner(keys) })
`
