import { readFileSync, writeFileSync } from "node:fs"
import { argumentsOf } from "../../scripts/usage.ts"

const root = new URL("../../", import.meta.url)

/** Reads a generated page; empty when there is none. */
export const kept = (page: string): string => {
  try {
    return readFileSync(new URL(page, root), "utf8")
  } catch {
    return ""
  }
}

const isCheck = (): boolean =>
  argumentsOf({
    text: "usage: npm run docs -- [--check]\n\n  Writes the pages that are made from the code; with --check only says whether they agree with it.",
    options: { check: { type: "boolean", default: false } },
  }).values.check

/** Writes a generated page; when run with `--check`, fails the process unless the page holds just this. */
export const publish = (page: string, text: string, holds: string): void => {
  if (!isCheck()) {
    writeFileSync(new URL(page, root), text)
    process.stdout.write(`${page}: ${holds}\n`)
  } else if (kept(page) === text) {
    process.stdout.write(`${page} agrees with the code: ${holds}\n`)
  } else {
    process.stderr.write(`${page} differs from the code: run npm run docs\n`)
    process.exitCode = 1
  }
}
