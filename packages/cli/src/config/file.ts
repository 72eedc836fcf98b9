import { existsSync } from "node:fs"
import { Failed, failed } from "../failure.ts"
import { bytesOf } from "./bytes.ts"

/** The default names of a configuration file, in order of preference. */
const configNames = ["postern.jsonc", "postern.json", "postern.yaml", "postern.yml"]

/** Returns the configuration file of the current folder, or undefined if there is none. */
export const configOfFolder = (): string | undefined => configNames.find((name) => existsSync(name))

const sayings: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "is not readable by this user", EISDIR: "is a folder" }

/** Returns the code of a system error, such as ENOENT, or "" if there is none. */
export const systemCode = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

/** The hint if the configuration file doesn't exist. */
const first = "`postern init` writes a first configuration"

/** Reads a configuration file. Throws if it cannot be read; `missing` is the hint if it doesn't exist. */
export const readConfigText = (file: string, missing = first): string => utf8Of(file, configBytes(file, missing))

const configBytes = (file: string, missing: string): Buffer => {
  try {
    return bytesOf(file)
  } catch (error) {
    if (error instanceof Failed) throw error
    const code = systemCode(error)
    const hint = code === "EACCES" ? "run the command as the owner of the file, or let this user read it" : missing
    throw failed(`${file === "" ? "a file without a name" : file} ${sayings[code] ?? "cannot be read"}`, hint)
  }
}

/** Decodes a file as UTF-8, without a byte order mark. Throws on invalid UTF-8, which would otherwise be replaced silently. */
export const utf8Of = (file: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw failed(`${file} is not UTF-8`, "save it in that encoding")
  }
}
