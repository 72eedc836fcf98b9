import { mapped } from "../../ports/steps.ts"
import { addressBudgets, sharedBudget } from "../../settle/budgets.ts"
import type { Inquiry } from "../../settle/request.ts"

/** The maximum number of wrong user codes (RFC 8628 §5.1). */
const userCodes = { browser: 10, address: 10 } as const

/** Returns the budgets of a user code (RFC 8628), by the digest of a browser's cookie. */
export const userCodeBudgets = (browser: string, inquiry: Inquiry) =>
  mapped(addressBudgets("device", userCodes.address, inquiry), (address) => [
    sharedBudget("browser", `device browser ${browser}`, userCodes.browser),
    ...address,
  ])
