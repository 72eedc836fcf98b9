import { existsSync, readFileSync } from "node:fs"
import { failed } from "../failure.ts"

/** The names a configuration has when none is given, the likeliest first. */
const configNames = ["postern.jsonc", "postern.json", "postern.yaml", "postern.yml"]

/** The configuration of this folder; undefined when there is none. */
export const configOfFolder = (): string | undefined => configNames.find((name) => existsSync(name))

const sayings: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "is not readable by this user", EISDIR: "is a folder" }

/** The code of an error of the system: ENOENT and its like. */
export const systemCode = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

/** The hint of a configuration that is not there. */
const first = "`postern init` writes a first configuration"

/** The text of a configuration file. Throws a failure when it cannot be read, with this hint where it is not there. */
export const readConfigText = (file: string, missing = first): string => utf8Of(file, configBytes(file, missing))

const configBytes = (file: string, missing: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (error) {
    const code = systemCode(error)
    const hint = code === "EACCES" ? "run the command as the owner of the file, or let this user read it" : missing
    throw failed(`${file === "" ? "a file without a name" : file} ${sayings[code] ?? "cannot be read"}`, hint)
  }
}

/** The text of a file, without a byte order mark. Bytes that are no UTF-8 would be taken for others without a word. */
export const utf8Of = (file: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw failed(`${file} is not UTF-8`, "save it in that encoding")
  }
}
