import type { Interaction } from "@postern/core/model"
import { interactionDocument } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"

/** Waiting requests. They change as a whole and by their version alone, so they are kept as one JSON text. */
export interface Interactions {
  readonly insert: (interaction: Interaction) => boolean
  /** Reports whether the stored version was the replacement's less one. */
  readonly replace: (interaction: Interaction) => boolean
  readonly find: (locator: string) => Interaction | undefined
}

/** Prepares the statements on waiting requests. */
export const interactionsOf = (database: Database): Interactions => {
  const insert = database.prepare(
    "INSERT INTO interactions (locator, version, keep_until, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
  )
  const replace = database.prepare("UPDATE interactions SET version = ?, keep_until = ?, content = ? WHERE locator = ? AND version = ?")
  const find = database.prepare<[string], string>("SELECT content FROM interactions WHERE locator = ?").pluck()
  return {
    insert: (interaction) =>
      insert.run(interaction.locator, interaction.version, interaction.keepUntil, interactionDocument.write(interaction)).changes === 1,
    replace: (interaction) => {
      const { locator, version, keepUntil } = interaction
      return replace.run(version, keepUntil, interactionDocument.write(interaction), locator, version - 1).changes === 1
    },
    find: (locator) => {
      const content = find.get(locator)
      return content === undefined ? undefined : interactionDocument.read(content)
    },
  }
}
