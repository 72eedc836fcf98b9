import { inShell } from "../config/shell.ts"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type AdminScript, adminScript, adminScripts, registrations } from "@postern/conformance"
import { systemCode } from "../config/file.ts"
import { failed, misused } from "../failure.ts"
import { writeNew } from "../config/newFile.ts"
import { unwritable } from "../config/unwritable.ts"

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
  const script = provider === undefined ? undefined : join(folder, `${provider}.mjs`)
  writeSecrets([
    [list, `${JSON.stringify({ clients }, undefined, 2)}\n`],
    [known, `${JSON.stringify(file, undefined, 2)}\n`],
    ...(script === undefined || provider === undefined ? [] : [[script, adminScript(provider)] as const]),
  ])
  return [
    `wrote ${list}: register these clients, with Postern by \`postern client import ${inShell(list)}\``,
    ...(script === undefined || provider === undefined ? [] : [`wrote ${script}, which makes them: ${adminScripts[provider].call}`]),
    `wrote ${known}: fill in the person, then give it to \`postern conform ISSUER --client-file\``,
  ]
}

/** Writes files of secrets: all of them or none, because their secrets belong together. Throws if one of them exists. */
const writeSecrets = (files: ReadonlyArray<readonly [file: string, text: string]>): void => {
  const written: Array<string> = []
  for (const [file, text] of files) {
    try {
      writeNew(file, text)
      written.push(file)
    } catch (error) {
      for (const each of written) rmSync(each, { force: true })
      if (systemCode(error) !== "EEXIST") throw unwritable(file, error)
      throw failed(`${file} already exists; nothing was written`, "its secrets may be in use: remove it first, or name another folder")
    }
  }
}
