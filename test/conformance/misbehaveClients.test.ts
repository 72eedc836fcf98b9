import { type Misbehaving, type Misbehavior, startMisbehaving } from "@postern/conformance/misbehave"
import { beforeAll, describe, expect, it } from "vitest"
import { apacheThere } from "../interop/apache/apache.ts"
import { openApache } from "./misbehaveApache.ts"
import { type Driver, clients, drivers, faultsFor, isFor, isSlow, tried } from "./misbehaveDrivers.ts"
import { person, sites } from "./misbehaveSites.ts"
import { type Outcome, outcomes } from "./misbehaveOutcomes.ts"

/** Faults where a client's limits of time and the machine's speed decide. */
const isOfSpeed = (misbehavior: Misbehavior): boolean => isSlow(misbehavior) || misbehavior.id === "metadata.huge"

/** Reports whether a fault is 50 MB that a library reads the same way in each of its flows, which are named after it: of them only the first has to get through it. */
const isReadBefore = ({ name }: Driver, { id }: Misbehavior): boolean => id === "metadata.huge" && name.includes(", ")

/** A client, and a provider that misbehaves for it alone, since who fetches metadata does not say who it is. */
interface Opened {
  readonly op: Misbehaving
  readonly driver: Driver
  readonly close: () => Promise<unknown>
}

const openLibrary = async (driver: Driver): Promise<Opened> => {
  const op = await startMisbehaving({ clients: clients.filter(({ client_id }) => client_id === driver.client) })
  return { op, driver, close: op.stop }
}

const openSite = async (name: string, open: (typeof sites)[string]): Promise<Opened> => {
  const driver = await open()
  const op = await startMisbehaving({ clients: [driver.registration], person })
  return { op, driver: { ...driver, name }, close: () => Promise.all([op.stop(), driver.close()]) }
}

/** Apaches that are opened; each is started before the next one looks for ports. */
let apaches: Promise<unknown> = Promise.resolve()

const openModule = (name: string, type: string, mode?: string): Promise<Opened> => {
  const open = async (): Promise<Opened> => {
    const { driver, registration, start, close, log } = await openApache(name.replace(/\W+/g, "-"), type, mode)
    const op = await startMisbehaving({ clients: [registration], person })
    await start(op.issuer)
    const signIn = (issuer: string): Promise<void> =>
      driver.signIn(issuer).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${log()}`)
      })
    return { op, driver: { ...driver, name, signIn }, close: () => Promise.all([op.stop(), close()]) }
  }
  const opened = apaches.then(open)
  apaches = opened.catch(() => undefined)
  return opened
}

/** Every client, by its name in docs/testing.md. Apache is there in the code flow and, so that c_hash is reached, in the hybrid one. */
const tries: ReadonlyArray<readonly [name: string, open: () => Promise<Opened>]> = [
  ...(apacheThere
    ? ([
        ["mod_auth_openidc", () => openModule("mod_auth_openidc", "code")],
        ["mod_auth_openidc, hybrid", () => openModule("mod_auth_openidc, hybrid", "code id_token", "form_post")],
      ] as const)
    : []),
  ...drivers.map((driver) => [driver.name, () => openLibrary(driver)] as const),
  ...Object.entries(sites).map(([name, open]) => [name, () => openSite(name, open)] as const),
]

/** Signs in once when all is right, which must work, and with every fault that is not slow; prints what was not as it should be, and compares all of it with what docs/testing.md says. */
const asDocumented = async ({ op, driver }: Opened): Promise<void> => {
  await driver.signIn(op.issuer)
  for (const misbehavior of faultsFor(driver))
    if (!isSlow(misbehavior) && !isReadBefore(driver, misbehavior)) await tried(op, driver, misbehavior)
  const scores = op
    .scores()
    .filter(({ misbehavior }) => misbehavior.transform.logout === undefined && isFor(driver, misbehavior) && !isOfSpeed(misbehavior))
  const missed = scores.filter(({ verdict }) => verdict === "not reached").map(({ misbehavior }) => misbehavior.id)
  const wrong = scores.filter(({ verdict, right }) => verdict !== "not reached" && !right)
  console.info(
    [
      `${driver.name}: ${scores.filter(({ right }) => right).length} as they should be, ${missed.length} not reached`,
      ...wrong.map(
        ({ misbehavior: { id, level, paragraph }, verdict, because }) => `  ${id} (${level}, ${paragraph}): ${verdict}; ${because}`,
      ),
      `  not reached: ${missed.join(", ")}`,
    ].join("\n"),
  )
  const found: Outcome = {
    wentOn: wrong.filter(({ verdict }) => verdict === "accepted").map(({ misbehavior }) => misbehavior.id),
    refused: wrong.filter(({ verdict }) => verdict === "noticed").map(({ misbehavior }) => misbehavior.id),
    notReached: missed,
  }
  expect(found).toEqual(outcomes[driver.name])
}

/** Tries the slow faults with a client, side by side: a site, which has one application at a time, is opened for each. */
const trySlow = async (open: () => Promise<Opened>): Promise<void> => {
  const first = await open()
  const faults = faultsFor(first.driver).filter(isSlow)
  const groups = first.driver.isSite === true ? faults.map((each) => [each]) : [faults]
  await Promise.all(
    groups.map(async (group, at) => {
      const { op, driver, close } = at === 0 ? first : await open()
      await Promise.all(group.map((misbehavior) => tried(op, driver, misbehavior)))
      await close()
    }),
  )
}

// Tests at the same time say by their own context what is to be done at their end: after an await, the one of vitest knows no test.
describe("clients of a provider that misbehaves do what docs/testing.md says", { timeout: 400_000 }, () => {
  // Answers that are late are waited for while everything else is tried.
  const late = new Map<string, Promise<void>>()
  beforeAll(() => {
    for (const [name, open] of tries) {
      const waiting = trySlow(open)
      waiting.catch(() => undefined)
      late.set(name, waiting)
    }
  })

  it.concurrent.for(tries)("%s", async ([, open], { onTestFinished }) => {
    const opened = await open()
    onTestFinished(() => opened.close().then(() => undefined))
    await asDocumented(opened)
  })

  it.for(tries)("%s comes to an end when answers are late", async ([name]) => {
    await expect(late.get(name)).resolves.toBe(undefined)
  })
})
