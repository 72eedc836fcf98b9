import { mapped, together } from "../../ports/steps.ts"
import type { Budget } from "../../rules/budget.ts"
import { growingBudget, sharedBudget } from "../../settle/budgets.ts"
import { type Inquiry, digestOf } from "../../settle/request.ts"

/** The maximum number of wrong codes of a person (CIBA Core §7.1) from one client, and from all clients. */
const personCodes = { client: 5, account: 25 } as const

/**
 * Returns the budgets of the user code that a person has chosen for the requests of clients (CIBA Core §7.1): of one client, so that no
 * other client alone can lock the person out, and of all clients together, because otherwise each further client would have as many guesses
 * again.
 */
export const personCodeBudgets = (clientId: string, subject: string, { ports }: Inquiry) => {
  const digests = { client: digestOf(ports, JSON.stringify([clientId, subject])), person: digestOf(ports, subject) }
  return mapped(together(digests), ({ client, person }): ReadonlyArray<Budget> => [
    growingBudget("client", "person code", personCodes.client, client),
    sharedBudget("account", `person code clients ${person}`, personCodes.account),
  ])
}
