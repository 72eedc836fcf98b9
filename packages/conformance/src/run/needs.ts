import type { Needs } from "../requirement/requirement.ts"
import type { Target } from "../target/target.ts"
import type { Verdict } from "./result.ts"

const offered = (value: unknown, wanted: string | boolean | undefined): boolean =>
  wanted === undefined ? value !== undefined : Array.isArray(value) ? value.includes(wanted) : value === wanted

/** The first need that a target does not meet; undefined if it meets all. */
export const unmet = (
  { clients = [], metadata = {}, person, time, write }: Needs,
  target: Target,
  document: Readonly<Record<string, unknown>>,
  mayWrite: boolean,
): { readonly verdict: Verdict; readonly why: string } | undefined => {
  const member = Object.entries(metadata).find(([name, wanted]) => !offered(document[name], wanted))
  if (member !== undefined) {
    const [name, wanted] = member
    return {
      verdict: "not applicable",
      why: wanted === undefined ? `the metadata has no ${name}` : `${name} does not offer ${String(wanted)}`,
    }
  }
  const role = clients.find((each) => target.clients[each] === undefined)
  if (role !== undefined) return { verdict: "skip", why: `no client of the role ${role} is known` }
  if (person === true && target.person === undefined && target.hand === undefined)
    return { verdict: "skip", why: "no person is known who can sign in" }
  if (time === true && target.pass === undefined) return { verdict: "skip", why: "the target's clock is not under control" }
  if (write === true && !mayWrite) return { verdict: "skip", why: "it leaves something behind: allow it with --allow-write" }
  return undefined
}
