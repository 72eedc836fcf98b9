import type { Module } from "../suite.ts"
import { flow } from "./flow.ts"
import { person } from "./person.ts"
import { refresh } from "./refresh.ts"

/** Every module of the basic, implicit and hybrid plans. */
export const modules: ReadonlyArray<Module> = [...flow, ...person, ...refresh]
