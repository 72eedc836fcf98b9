import type { Handed } from "./actor.ts"
import { at, works } from "./model.ts"
import { type ClientId, type Name, type Operation, type Outcome, type State, clientIds } from "./state.ts"

/** The clients that may introspect: those that can keep a secret. */
export const confidential: ReadonlyArray<ClientId> = clientIds.filter((client) => client !== "spa")

/** A name for a value: the one it has, or a new one for a new value. Undefined when name or value stands for something else. */
const bound = (handed: Handed, name: Name, value: string): Handed | undefined => {
  if (handed.get(name) === value) return handed
  return handed.has(name) || [...handed.values()].includes(value) ? undefined : new Map([...handed, [name, value]])
}

/**
 * Compares the provider's answer with the model's: answers the values handed out then, with the new ones; undefined when they differ. A
 * successor given again must be the very same value, and nothing else may be.
 */
export const agreed = (expected: Outcome, observed: Outcome, handed: Handed): Handed | undefined => {
  if (expected.tag === "code" && observed.tag === "code") return bound(handed, expected.code, observed.code)
  if (expected.tag === "tokens" && observed.tag === "tokens") {
    if (expected.scope.join(" ") !== observed.scope.join(" ")) return undefined
    const given = bound(handed, expected.access, observed.access)
    if (expected.refresh === undefined || observed.refresh === undefined) return expected.refresh === observed.refresh ? given : undefined
    return given && bound(given, expected.refresh, observed.refresh)
  }
  return JSON.stringify(expected) === JSON.stringify(observed) ? handed : undefined
}

/** Asks for the whole state: every token, of the client it is for. */
export const questions = (state: State): ReadonlyArray<Operation> => {
  const owner = (grant: Name): ClientId => at(state.grants, grant).client
  const access = Object.entries(state.access).map(([token, { grant }]): Operation => {
    const client = owner(grant)
    return client === "spa" ? { tag: "userinfo", token } : { tag: "introspect", token, client }
  })
  const refresh = Object.entries(state.refresh).flatMap(([token, { grant }]): ReadonlyArray<Operation> => {
    const client = owner(grant)
    return client === "spa" ? [] : [{ tag: "introspect", token, client }]
  })
  return [...access, ...refresh]
}

/** Counts the refresh tokens that work in the family that has most of them. More than one is a fork. */
export const widestFamily = (state: State): number => {
  const tips = new Map<Name, number>()
  for (const [name, { grant }] of Object.entries(state.refresh)) if (works(state, name)) tips.set(grant, (tips.get(grant) ?? 0) + 1)
  return Math.max(0, ...tips.values())
}
