import { applyCommand, type Members } from "@postern/core/memory"
import type { Command, CommitResult, RowKind } from "@postern/core/model"
import type { Database } from "./database.ts"
import { TakenBack } from "./failure.ts"
import { load, type Tables } from "./load.ts"
import { save } from "./save.ts"
import { takeTurns } from "./turns.ts"

/**
 * Commits sets of commands, each in one transaction: it loads and locks the affected rows, lets core's interpreter check and change them,
 * and writes the changes. A failed guard rolls the transaction back.
 */
export const committer =
  (database: Database, tables: Tables, turns: string): ((commands: ReadonlyArray<Command>) => Promise<CommitResult>) =>
  async (given) => {
    const commands = given.map(sound)
    return database.transact<CommitResult>("commit", async (statements, careful) => {
      await takeTurns(statements, turns, database.speech, commands.flatMap(turnOf(tables)))
      const loaded = await load(statements, tables, commands, careful)
      for (const command of commands) {
        const rows = loaded.get(command.table)?.rows
        if (rows === undefined || applyCommand(rows, command) === undefined) throw new TakenBack("taken back", { cause: "Conflict" })
      }
      await save(statements, loaded.values())
      return "Committed"
    })
  }

/** Replaces unpaired surrogates with U+FFFD, as the database does. Otherwise the row would not be found. */
const sound = (command: Command): Command => {
  const row = command.row === undefined ? undefined : wellFormed(command.row as Members)
  return { ...command, given: wellFormed(command.given) as Command["given"], ...(row === undefined ? {} : { row }) }
}

const wellFormed = (members: Members): Members =>
  Object.values(members).some((value) => typeof value === "string" && !value.isWellFormed())
    ? Object.fromEntries(Object.entries(members).map(([name, value]) => [name, typeof value === "string" ? value.toWellFormed() : value]))
    : members

/** Returns the name of the lock for a row whose absence matters, because a missing row cannot be locked itself. */
const turnOf =
  ({ of }: Tables) =>
  ({ table, event, row, given }: Command): ReadonlyArray<string> => {
    const { kind } = of(table)
    return kind.absenceCounts === true && changesPresence(kind, event)
      ? [JSON.stringify([table, ...kind.key.map((member) => ((row ?? given) as Members)[member])])]
      : []
  }

const changesPresence = ({ events }: RowKind, event: string): boolean =>
  events[event]?.ways.some(({ change }) => change === "insert" || change === "remove") === true
