import {
  GoneAway,
  type Hand,
  NoChromium,
  type Opening,
  type Registered,
  type Report,
  type Requirement,
  type Result,
  Unreachable,
  finding,
  inProcess,
  judged,
  overHttp,
  requirementsOf,
  run,
  sets,
  summary,
} from "@postern/conformance"
import { stoppable } from "../action.ts"
import { personHere } from "../conform/byHand.ts"
import { prepare } from "../conform/prepare.ts"
import { readClientFile, readExpected } from "../conform/files.ts"
import { reportTo } from "../conform/reportFile.ts"
import { failed, misused, unreachable } from "../failure.ts"
import { complain, printable, say, styled, table } from "../terminal/output.ts"

/** The parameters of `postern conform`. */
export interface ConformCall {
  readonly issuer: string | undefined
  readonly inProcess: boolean
  readonly compare: string | undefined
  readonly clientFile: string | undefined
  readonly requirements: string | undefined
  readonly only: ReadonlyArray<string>
  readonly format: string | undefined
  readonly out: string | undefined
  readonly expected: string | undefined
  readonly allowWrite: boolean
  readonly manual: boolean
  readonly wait: number | undefined
  readonly rate: number | undefined
  readonly timeout: number | undefined
  readonly prepare: string | undefined
  readonly for: string | undefined
  readonly callback: string | undefined
  readonly list: boolean
}

/** Returns the requirements that a call selects. */
const chosen = ({ requirements: set = "all", only }: ConformCall): ReadonlyArray<Requirement> => {
  const found = requirementsOf(set)
  if (found === undefined) throw misused(`there is no set "${set}"`, `use one of: ${sets.map(({ name }) => name).join(", ")}`)
  if (only.length === 0) return found
  const isOf = (each: string, { id }: Requirement): boolean => id === each || id.startsWith(`${each}.`)
  const unknown = only.filter((each) => !found.some((requirement) => isOf(each, requirement)))
  if (unknown.length > 0) throw misused(`no requirement of ${set} is ${unknown.join(" or ")}`, "`postern conform --list` lists them")
  return found.filter((requirement) => only.some((each) => isOf(each, requirement)))
}

const issuerOf = (text: string): string => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw misused(`${text} is no issuer`, "an issuer is a URL such as https://op.example")
  return text.endsWith("/.well-known/openid-configuration") ? text.slice(0, -"/.well-known/openid-configuration".length) : text
}

/** The providers to test, and the user who signs in to them by hand. */
interface Tested {
  readonly targets: ReadonlyArray<Opening>
  readonly hand: Hand | undefined
}

/** Prepares the provider under test, and a second provider to compare it with. */
const targetsOf = async (call: ConformCall): Promise<Tested> => {
  const { issuer, compare, clientFile, rate, timeout } = call
  if (call.inProcess === (issuer !== undefined)) throw misused("name one provider to test", "give an issuer, or --in-process")
  const known = clientFile === undefined ? { clients: {}, person: undefined, recipe: undefined } : await readClientFile(clientFile)
  const remote = (text: string): Opening => overHttp({ issuer: issuerOf(text), ...known, rate, timeout })
  if (call.manual && issuer === undefined) throw misused("--manual does not work with --in-process", "omit --manual, or give an issuer")
  return {
    targets: [issuer === undefined ? inProcess() : remote(issuer), ...(compare === undefined ? [] : [remote(compare)])],
    hand: call.manual ? await personHere(Object.values(known.clients), call.wait ?? 300, told) : undefined,
  }
}

/**
 * Tests a provider. Fails with 1 if it breaks a MUST unexpectedly, and with 3 if it cannot be reached. An interrupted test deletes the
 * clients that it registered, and reports what it has found.
 */
export const testProvider = stoppable(async (call: ConformCall, signal) => {
  const requirements = chosen(call)
  if (call.list) return list(requirements)
  const write = reportTo(call)
  if (call.prepare !== undefined) return (await prepare(call.prepare, call)).forEach((line) => say(line))
  const expected = call.expected === undefined ? [] : await readExpected(call.expected)
  const { targets, hand } = await targetsOf(call)
  const reports: Array<Report> = []
  try {
    for (const target of targets)
      if (!signal.aborted) reports.push(await tested(target, requirements, call, hand, signal, (found) => reports.push(found)))
  } catch (error) {
    // A provider that went away leaves what was found until then.
    if (reports[0] !== undefined) write(reports[0])
    throw error
  } finally {
    await hand?.close()
  }
  const [report, other] = reports
  if (report === undefined) return
  if (other !== undefined) differences(report, other)
  write(report)
  const { unexpected, mended, overdue } = judged(report, expected, new Date().toISOString().slice(0, 10))
  const known = new Set(requirementsOf("all")?.map(({ id }) => id))
  for (const { id } of expected) if (!known.has(id)) complain(`${printable(id)} is no requirement: correct or remove its entry`)
  for (const id of mended) complain(`${id} is met: remove its entry from ${call.expected ?? ""}`)
  for (const id of overdue) complain(`${id} was expected to fail until a date that has passed`)
  if (unexpected.length > 0) throw failed(`${unexpected.length} of ${report.results.length} requirements are not met`)
})

const list = (requirements: ReadonlyArray<Requirement>): void => {
  say(
    table(
      ["set", "requirements", ""],
      sets.map(({ name, title }) => [name, String(requirementsOf(name)?.length ?? 0), title]),
    ),
  )
  say()
  say(
    table(
      ["requirement", "level", "paragraph", ""],
      requirements.map(({ id, level, paragraph, title }) => [id, level, paragraph, title]),
    ),
  )
}

const tested = async (
  target: Opening,
  requirements: ReadonlyArray<Requirement>,
  { requirements: set = "all", allowWrite }: ConformCall,
  hand: Hand | undefined,
  signal: AbortSignal,
  onLost: (found: Report) => void,
): Promise<Report> => {
  try {
    const report = await run(target, requirements, {
      set,
      signal,
      write: allowWrite,
      register: allowWrite,
      hand,
      onRegistered: tellRegistered,
      onResult: progress,
    })
    clear()
    complain(summary(report, styled))
    return report
  } catch (error) {
    clear()
    if (error instanceof GoneAway) {
      complain(summary(error.found, styled))
      onLost(error.found)
      throw unreachable(`${target.name} answers no more: ${printable(error.message)}`, "its own log may say why it ended")
    }
    if (error instanceof Unreachable)
      throw unreachable(
        `${target.name} cannot be tested: ${printable(error.message)}`,
        /CERT|SELF_SIGNED|SIGNATURE/.test(error.message)
          ? "NODE_EXTRA_CA_CERTS=FILE makes the certificates of a file trusted"
          : "check the issuer's address, and that the provider is running",
      )
    if (error instanceof NoChromium) throw failed(`the pages of ${target.name} need JavaScript`, printable(error.message))
    throw error
  }
}

const tellRegistered = ({ clients, refused, removable }: Registered): void => {
  const count = Object.keys(clients).length
  if (count > 0) complain(`registered ${count} clients; ${removable === count ? "they" : removable} are deleted at the end`)
  for (const [role, error] of refused) complain(`the provider did not register a client for the role ${role}: ${printable(error)}`)
}

/** Writes a line that may contain a URL of the provider, with control characters escaped. */
const told = (line: string): void => {
  clear()
  complain(printable(line))
}

const isTerminal = process.stderr.isTTY

const clear = (): void => {
  if (isTerminal) process.stderr.write("\r\u001b[2K")
}

/** Shows the progress, and each failure as soon as it is found. */
const progress = (result: Result, done: number, count: number): void => {
  clear()
  if (["fail", "warn", "inconclusive"].includes(result.verdict)) complain(`${finding(result, styled)}\n`)
  if (isTerminal) process.stderr.write(`${done} of ${count}  ${result.requirement.id}`)
}

const differences = (one: Report, other: Report): void => {
  const verdicts = new Map(other.results.map(({ requirement, verdict }) => [requirement.id, verdict]))
  const rows = one.results
    .filter(({ requirement, verdict }) => verdicts.get(requirement.id) !== verdict)
    .map(({ requirement: { id, paragraph, title }, verdict }) => [id, verdict, verdicts.get(id) ?? "", paragraph, title])
  say(rows.length === 0 ? "The two do not differ." : table(["requirement", one.target, other.target, "paragraph", ""], rows))
}
