import { check } from "./check.ts"
import { plainPlans } from "./plan.ts"

check(plainPlans, "hybrid")
