import type { ProviderOptions, ProviderPorts } from "@postern/core"
import type { Change } from "./change.ts"
import type { Fault } from "./fault.ts"

/** Defines a fault with memory. Each provider gets a new one. */
export const remembering = <A>(
  { id, title, paragraph, near }: Pick<Fault, "id" | "title" | "paragraph" | "near">,
  fresh: () => A,
  change: (memory: A) => Change,
  options: (options: ProviderOptions & ProviderPorts, memory: A) => ProviderOptions & ProviderPorts = (same) => same,
): Fault => {
  let memory = fresh()
  return {
    id,
    title,
    paragraph,
    near,
    alteration: {
      options: (given) => {
        memory = fresh()
        return options(given, memory)
      },
      answer: (answer, request) => change(memory)(answer, request),
    },
  }
}
