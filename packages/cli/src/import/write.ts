import type { Imported } from "./oidcProvider.ts"

/** Writes an import as JSON with comments: everything that is not the same comes first. */
export const written = ({ config, notes }: Imported): string => {
  const lines = notes.map(({ option, text }) => `//   ${option}: ${text}`)
  const head = [
    "// Made by `postern import oidc-provider`. Check it: postern check-config FILE",
    ...(lines.length === 0 ? ["// Every setting has an equal here."] : ["// Settings that are not the same here:", ...lines]),
  ]
  return `${head.map((line) => line.replaceAll(/[\r\n]+/g, " ")).join("\n")}\n${JSON.stringify(config, undefined, 2)}`
}
