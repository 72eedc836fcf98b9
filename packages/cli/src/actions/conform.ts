import { writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  type FormatName,
  type Opening,
  type Registered,
  type Report,
  type Requirement,
  type Result,
  Unreachable,
  finding,
  formats,
  inProcess,
  judged,
  overHttp,
  registrations,
  requirementsOf,
  run,
  sets,
  summary,
} from "@postern/conformance"
import { promised } from "../action.ts"
import { readClientFile, readExpected } from "../conform/files.ts"
import { systemCode } from "../config/file.ts"
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
  readonly rate: number | undefined
  readonly timeout: number | undefined
  readonly prepare: string | undefined
  readonly list: boolean
}

const isFormat = (name: string): name is FormatName => Object.hasOwn(formats, name)

/** The requirements that a call asks for. */
const chosen = ({ requirements: set = "all", only }: ConformCall): ReadonlyArray<Requirement> => {
  const found = requirementsOf(set)
  if (found === undefined) throw misused(`there is no set "${set}"`, `there are ${sets.map(({ name }) => name).join(", ")}`)
  if (only.length === 0) return found
  const wanted = found.filter(({ id }) => only.some((each) => id === each || id.startsWith(`${each}.`)))
  if (wanted.length === 0) throw misused(`no requirement of ${set} is ${only.join(" or ")}`, "`postern conform --list` lists them")
  return wanted
}

const issuerOf = (text: string): string => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw misused(`${text} is no issuer`, "an issuer is an address such as https://op.example")
  return text.endsWith("/.well-known/openid-configuration") ? text.slice(0, -"/.well-known/openid-configuration".length) : text
}

/** The provider under test, and another one to compare it with. */
const targetsOf = async (call: ConformCall): Promise<ReadonlyArray<Opening>> => {
  const { issuer, compare, clientFile, rate, timeout } = call
  if (call.inProcess === (issuer !== undefined))
    throw misused("a provider to test is missing, or there are two", "give an issuer, or --in-process")
  const known = clientFile === undefined ? { clients: {}, person: undefined, recipe: undefined } : await readClientFile(clientFile)
  const remote = (text: string): Opening => overHttp({ issuer: issuerOf(text), ...known, rate, timeout })
  return [issuer === undefined ? inProcess() : remote(issuer), ...(compare === undefined ? [] : [remote(compare)])]
}

/** Tests a provider. Fails with 1 where a MUST is broken that nobody expected, and with 3 where the provider cannot be reached. */
export const testProvider = promised(async (call: ConformCall) => {
  const requirements = chosen(call)
  if (call.list) return list(requirements)
  if (call.prepare !== undefined) return prepare(call.prepare)
  if (call.format !== undefined && !isFormat(call.format))
    throw misused(`there is no format "${call.format}"`, `there are ${Object.keys(formats).join(", ")}`)
  const targets = await targetsOf(call)
  const expected = call.expected === undefined ? [] : await readExpected(call.expected)
  const reports: Array<Report> = []
  for (const target of targets) reports.push(await tested(target, requirements, call))
  const [report, other] = reports
  if (report === undefined) return
  if (other !== undefined) differences(report, other)
  if (call.format !== undefined) write(formats[call.format](report), call.out)
  const { unexpected, mended, overdue } = judged(report, expected, new Date().toISOString().slice(0, 10))
  for (const id of mended) complain(`${id} is met: its entry in ${call.expected ?? ""} can go`)
  for (const id of overdue) complain(`${id} was expected to fail until a day that has passed`)
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
): Promise<Report> => {
  const stop = new AbortController()
  const stopping = (): void => stop.abort()
  process.once("SIGINT", stopping)
  try {
    const report = await run(target, requirements, {
      set,
      signal: stop.signal,
      write: allowWrite,
      register: allowWrite,
      onRegistered: tellRegistered,
      onResult: progress,
    })
    clear()
    complain(summary(report, styled))
    return report
  } catch (error) {
    clear()
    if (error instanceof Unreachable)
      throw unreachable(
        `${target.name} cannot be tested: ${printable(error.message)}`,
        "check the issuer's address, and that the provider is running",
      )
    throw error
  } finally {
    process.removeListener("SIGINT", stopping)
  }
}

const prepare = async (folder: string): Promise<void> => {
  const { clients, file } = await registrations("postern")
  const written = [
    ["clients.json", { clients }],
    ["client-file.json", file],
  ] as const
  for (const [name, value] of written) writeSecret(join(folder, name), `${JSON.stringify(value, undefined, 2)}\n`)
  say(
    `wrote ${join(folder, "clients.json")}: register these clients, with Postern by \`postern client import ${join(folder, "clients.json")}\``,
  )
  say(`wrote ${join(folder, "client-file.json")}: fill in the person, then give it to \`postern conform ISSUER --client-file\``)
}

const tellRegistered = ({ clients, refused, removable }: Registered): void => {
  const count = Object.keys(clients).length
  if (count > 0) complain(`registered ${count} clients; ${removable === count ? "they" : removable} are deleted at the end`)
  for (const [role, error] of refused) complain(`the provider registers no client of the role ${role}: ${printable(error)}`)
}

const isTerminal = process.stderr.isTTY

const clear = (): void => {
  if (isTerminal) process.stderr.write("\r\u001b[2K")
}

/** Shows how far it is, and what is wrong as soon as it is found. */
const progress = (result: Result, done: number, count: number): void => {
  clear()
  if (["fail", "warn", "inconclusive"].includes(result.verdict)) complain(`${finding(result, styled)}\n`)
  if (isTerminal) process.stderr.write(`${done} of ${count}  ${result.requirement.id}`)
}

const write = (text: string, file: string | undefined): void => {
  if (file === undefined) return void process.stdout.write(text)
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw failed(`${file} cannot be written: ${systemCode(error)}`, "name a file in a folder that exists")
  }
}

/** Writes a file of secrets for its owner alone; one that is there is left alone. */
const writeSecret = (file: string, text: string): void => {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" })
  } catch (error) {
    const code = systemCode(error)
    throw code === "EEXIST"
      ? failed(`${file} is there already`, "its secrets may be in use: remove it first, or name another folder")
      : failed(`${file} cannot be written: ${code}`, "name a folder that exists")
  }
}

const differences = (one: Report, other: Report): void => {
  const verdicts = new Map(other.results.map(({ requirement, verdict }) => [requirement.id, verdict]))
  const rows = one.results
    .filter(({ requirement, verdict }) => verdicts.get(requirement.id) !== verdict)
    .map(({ requirement: { id, paragraph, title }, verdict }) => [id, verdict, verdicts.get(id) ?? "", paragraph, title])
  say(rows.length === 0 ? "The two do not differ." : table(["requirement", one.target, other.target, "paragraph", ""], rows))
}
