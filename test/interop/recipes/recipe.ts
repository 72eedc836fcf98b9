import { readFileSync } from "node:fs"

const page = readFileSync(new URL("../../../docs/clients-recipes.md", import.meta.url), "utf8")

/** A part of Postern's configuration, as `docs/clients-recipes.md` shows it. */
export interface Recipe {
  readonly resources: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly clients: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** The titles of all recipes. */
export const recipeTitles: ReadonlyArray<string> = [...page.matchAll(/^## (.+)$/gm)].map(([, title = ""]) => title)

const sectionOf = (title: string): string => {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${title}\n`))
  if (section === undefined) throw new Error(`docs/clients-recipes.md has no recipe for ${title}`)
  return section
}

/** The configuration of a recipe, with the application at an address of the test's and every secret in the clear. */
export const recipe = (title: string, app: string, secret: string): Recipe => {
  const [, text = ""] = /```json\n([\s\S]*?)```/.exec(sectionOf(title)) ?? []
  const shown = JSON.parse(text.replaceAll("https://app.example.com", app)) as Partial<Recipe>
  const { resources = [], clients = [] } = shown
  return { resources, clients: clients.map((client) => ("client_secret" in client ? { ...client, client_secret: secret } : client)) }
}
