import { existsSync, readFileSync } from "node:fs"
import { failed } from "../failure.ts"

/** The names a configuration has when none is given, the likeliest first. */
export const configNames = ["postern.jsonc", "postern.json", "postern.yaml", "postern.yml"]

/** The configuration of this folder; undefined when there is none. */
export const configOfFolder = (): string | undefined => configNames.find((name) => existsSync(name))

const sayings: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "may not be read by this user", EISDIR: "is a folder" }

/** The code of an error of the system: ENOENT and its like. */
export const systemCode = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

/** The text of a configuration file. Throws a failure when it cannot be read. */
export const readConfigText = (file: string): string => {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "")
  } catch (error) {
    throw failed(`${file} ${sayings[systemCode(error)] ?? "cannot be read"}`, "`postern init` writes a first configuration")
  }
}
