import type { Listed } from "../equivalent.ts"

/** Mutants of the area stores that change nothing. */
export const stores: Listed = {}
