import { check } from "./check.ts"
import { formPostPlans } from "./plan.ts"

check(formPostPlans, "hybrid")
