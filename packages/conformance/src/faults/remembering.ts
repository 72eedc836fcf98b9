import type { ProviderOptions, ProviderPorts } from "@postern/core"
import type { Change } from "./change.ts"
import type { Fault } from "./fault.ts"

/** States a fault that remembers something of one provider: what it remembers is made anew for each. */
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
