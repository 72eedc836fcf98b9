import type { Case } from "../cases/case.ts"

/** A test that shows a line: its file, and its title as the file has it, with `${…}` where the title is made from a value. */
export interface Shown {
  readonly file: string
  readonly title: string
}

/** A line of the specification: what it says, what decides it, and what shows it. */
export interface Line {
  readonly section: string
  /** The specification's own words; cells of a table row stand apart by ` | `. */
  readonly text: string
  /** The rules that refuse whatever would break it. Each is shown refusing by one of the tests. */
  readonly rules: ReadonlyArray<string>
  readonly tests: ReadonlyArray<Shown>
  /** Decision where no rule decides; the choice that the specification left open; the missing part of a pending line. */
  readonly reason?: string
  /** Not wholly so yet. */
  readonly pending?: true
}

/** A line without its section. */
export type Said = Omit<Line, "section">

/** The lines of a section. */
export const section = (name: string, lines: ReadonlyArray<Said>): ReadonlyArray<Line> => lines.map((line) => ({ section: name, ...line }))

/** Tests of a file, by title. */
export const from =
  (file: string) =>
  (...titles: ReadonlyArray<string>): ReadonlyArray<Shown> =>
    titles.map((title) => ({ file, title }))

const cases = (name: string) => from(`test/cases/${name}.ts`)

/** For each rule the first case of a file that shows it refusing. */
export const refusing = (name: string, all: ReadonlyArray<Case>, rules: ReadonlyArray<string>): ReadonlyArray<Shown> =>
  rules.flatMap((id) => cases(name)(...all.flatMap(({ rule, title }) => (rule === id ? [title] : [])).slice(0, 1)))

export const authorize = cases("authorize")
export const clientAssertions = cases("clientAssertions")
export const clientAuthentication = cases("clientAuthentication")
export const device = cases("device")
export const examples = from("test/core/examples.test.ts")
export const extensionGrants = cases("extensionGrants")
export const jwtBearer = cases("jwtBearer")
export const pages = cases("pages")
export const password = cases("password")
export const programs = cases("programs")
export const registration = cases("registration")
export const requestObjects = cases("requestObjects")
export const resource = cases("resource")
export const responseTypes = cases("responseTypes")
export const spec = cases("specification")
export const specAnswers = cases("specificationAnswers")
export const specClients = cases("specificationClients")
export const specTokens = cases("specificationTokens")
export const token = cases("token")
export const tokenExchange = cases("tokenExchange")
export const upstream = cases("upstream")
export const twoPosterns = from("test/upstream/twoPosterns.test.ts")
export const certifiedFlow = from("test/certification/modules/flow.ts")
export const certifiedPerson = from("test/certification/modules/person.ts")
export const metadata = from("test/core/metadata.test.ts")
export const role = from("test/specification/role.test.ts")
export const loginPage = from("test/specification/loginPage.test.ts")
