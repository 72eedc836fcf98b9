import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type AdminScript, adminScript, adminScripts, registrations } from "@postern/conformance"
import { systemCode } from "../config/file.ts"
import { failed, misused } from "../failure.ts"

const isScript = (name: string): name is AdminScript => Object.hasOwn(adminScripts, name)

/**
 * Writes the clients to register and the client file. For a provider with a bundled script, also writes the script that registers them.
 * Returns the lines to show.
 */
export const prepare = async (
  folder: string,
  { callback, for: provider }: { readonly callback: string | undefined; readonly for: string | undefined },
): Promise<ReadonlyArray<string>> => {
  if (callback !== undefined && (!/^https?:\/\/[^#]+$/.test(callback) || !URL.canParse(callback)))
    throw misused(`${callback} is no redirect URI`, "one is an address such as http://127.0.0.1:8765/callback")
  if (provider !== undefined && !isScript(provider))
    throw misused(`there is no script for "${provider}"`, `there are ${Object.keys(adminScripts).join(" and ")}`)
  const { pages, without } = provider === undefined ? { pages: "postern", without: [] } : adminScripts[provider]
  const { clients, file } = await registrations(pages, { callback, without })
  const [list, known] = [join(folder, "clients.json"), join(folder, "client-file.json")]
  writeSecret(list, `${JSON.stringify({ clients }, undefined, 2)}\n`)
  writeSecret(known, `${JSON.stringify(file, undefined, 2)}\n`)
  const told = [`wrote ${list}: register these clients, with Postern by \`postern client import ${list}\``]
  if (provider !== undefined) {
    const script = join(folder, `${provider}.mjs`)
    writeSecret(script, adminScript(provider))
    told.push(`wrote ${script}, which makes them: ${adminScripts[provider].call}`)
  }
  return [...told, `wrote ${known}: fill in the person, then give it to \`postern conform ISSUER --client-file\``]
}

/** Writes a file of secrets with mode 0600. Throws if the file exists. */
const writeSecret = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" })
  } catch (error) {
    const code = systemCode(error)
    throw code === "EEXIST"
      ? failed(`${file} is there already`, "its secrets may be in use: remove it first, or name another folder")
      : failed(`${file} cannot be written: ${code}`, "name a folder that exists")
  }
}
