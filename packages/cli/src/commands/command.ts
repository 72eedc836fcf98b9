import * as Command from "effect/cli/Command"
import { type Action, lazily } from "../action.ts"

/** An example invocation for a command's help. */
export interface Example {
  readonly command: string
  readonly description: string
}

/** Returns a function that loads an action of a module by name. The module is imported when the action runs. */
export const actionsOf =
  <Actions>(load: () => Promise<Actions>) =>
  <Name extends keyof Actions>(name: Name) =>
  async (): Promise<Actions[Name]> =>
    (await load())[name]

/** Defines a command with its parameters. Its action is loaded when it runs. */
export const command = <const Name extends string, const Params extends Command.Command.Config>(
  name: Name,
  description: string,
  params: Params,
  load: () => Promise<Action<Command.Command.Config.Infer<Params>>>,
  examples: ReadonlyArray<Example> = [],
) => Command.make(name, params, lazily(load)).pipe(Command.withDescription(description), Command.withExamples(examples))
