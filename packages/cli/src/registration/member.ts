import { misused } from "../failure.ts"

/** Parses NAME=VALUE. A value that is not valid JSON is a string. */
export const readMember = (stated: string): readonly [name: string, value: unknown] => {
  const [, name, value] = /^([a-z][a-z0-9_]*)=(.*)$/s.exec(stated) ?? []
  if (name === undefined || value === undefined)
    throw misused(`--metadata ${stated} is not NAME=VALUE`, "write --metadata require_pkce=true")
  if (name === "client_secret") throw misused("--metadata takes no secret", "use --secret-stdin, or leave it out and one is made")
  try {
    return [name, JSON.parse(value)]
  } catch {
    return [name, value]
  }
}
