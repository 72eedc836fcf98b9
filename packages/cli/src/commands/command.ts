import * as Command from "effect/cli/Command"
import { type Action, lazily } from "../action.ts"

/** A call of a command, for its help. */
export interface Example {
  readonly command: string
  readonly description: string
}

/** Actions of a module that is loaded when one of them runs, by their names. */
export const actionsOf =
  <Actions>(load: () => Promise<Actions>) =>
  <Name extends keyof Actions>(name: Name) =>
  async (): Promise<Actions[Name]> =>
    (await load())[name]

/** A command with its parameters; its action is loaded when it runs. */
export const command = <const Name extends string, const Params extends Command.Command.Config>(
  name: Name,
  description: string,
  params: Params,
  load: () => Promise<Action<Command.Command.Config.Infer<Params>>>,
  examples: ReadonlyArray<Example> = [],
) => Command.make(name, params, lazily(load)).pipe(Command.withDescription(description), Command.withExamples(examples))
