import { secretOf } from "@postern/core/model"
import { hostOf, outwardPlaces, placedIdentityProviders, PortFailed } from "@postern/core/ports"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const failing = (error: unknown): string =>
  error instanceof PortFailed ? `${error.port}.${error.operation}: ${String(error.cause)}` : "defect"

/** Places, with waits that end when told to. */
const trial = (processes?: number) => {
  const places = outwardPlaces(processes)
  const ends: Array<() => void> = []
  let asked = 0
  const wait = (host: string, ofStranger?: boolean): Promise<string> =>
    Effect.runPromise(
      places
        .wait(
          host,
          "Outbound",
          "fetch",
          () => {
            asked++
            return Effect.promise(() => new Promise<string>((resolve) => ends.push(() => resolve("answered"))))
          },
          ofStranger,
        )
        .pipe(Effect.catch((error) => Effect.succeed(failing(error)))),
    )
  return { places, wait, asked: () => asked, end: () => ends.splice(0).forEach((end) => end()) }
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("requests that wait for others (RFC 9110 §15.6.4)", () => {
  it("are a hundred of one host at most; more ask nobody, and those of another host do", async () => {
    const { places, wait, asked, end } = trial()
    const first = Array.from({ length: 100 }, () => wait("hole.example"))
    await turn()
    expect(await wait("hole.example")).toMatch(/^Outbound\.fetch: OutwardRefused: 100 requests wait for hole\.example already/)
    expect(asked()).toBe(100)
    const other = wait("other.example")
    await turn()
    expect([asked(), places.load()]).toEqual([101, { waiting: 101, refused: 1 }])
    end()
    expect(new Set([...(await Promise.all(first)), await other])).toEqual(new Set(["answered"]))
    expect(places.load()).toEqual({ waiting: 0, refused: 1 })
    const again = wait("hole.example")
    await turn()
    end()
    expect(await again).toBe("answered")
  })

  it("are four hundred in all", async () => {
    const { places, wait, end } = trial()
    const all = Array.from({ length: 8 * 60 }, (_, at) => wait(`host ${at % 8}`))
    await turn()
    expect(places.load()).toEqual({ waiting: 400, refused: 80 })
    end()
    await Promise.all(all)
    expect(places.load().waiting).toBe(0)
  })

  it("are an Nth at each of N processes of a server", async () => {
    const { places, wait, end } = trial(8)
    const one = Array.from({ length: 20 }, () => wait("hole.example"))
    await turn()
    expect(places.load()).toEqual({ waiting: 13, refused: 7 })
    const others = Array.from({ length: 60 }, (_, at) => wait(`host ${at}`))
    await turn()
    expect(places.load()).toEqual({ waiting: 50, refused: 30 })
    end()
    await Promise.all([...one, ...others])
  })

  it("for URLs that strangers chose are two hundred at most, so that others have as many", async () => {
    const { places, wait, end } = trial()
    const strangers = Array.from({ length: 300 }, (_, at) => wait(`tarpit ${at}`, true))
    await turn()
    expect(places.load()).toEqual({ waiting: 200, refused: 100 })
    const others = Array.from({ length: 200 }, (_, at) => wait(`host ${at % 4}`))
    await turn()
    expect(places.load()).toEqual({ waiting: 400, refused: 100 })
    end()
    await Promise.all([...strangers, ...others])
    expect(places.load().waiting).toBe(0)
    const again = Array.from({ length: 200 }, (_, at) => wait(`tarpit ${at}`, true))
    await turn()
    end()
    expect(new Set(await Promise.all(again))).toEqual(new Set(["answered"]))
  })

  it("for URLs that strangers chose take no place of the host that they name", async () => {
    const { places, wait, end } = trial()
    const strangers = Array.from({ length: 101 }, () => wait("app.example", true))
    const registered = Array.from({ length: 101 }, () => wait("app.example"))
    await turn()
    expect(places.load()).toEqual({ waiting: 200, refused: 2 })
    end()
    await Promise.all([...strangers, ...registered])
  })

  it("for keys of logout tokens, which anybody may send, take no place of the sign-ins at that provider", async () => {
    const { places, end, wait } = trial()
    const ends: Array<() => void> = []
    const slow = Effect.promise(() => new Promise<undefined>((resolve) => ends.push(() => resolve(undefined))))
    const unreached = Effect.fail(new PortFailed({ port: "IdentityProviders", operation: "begin", cause: new Error("asked") }))
    const placed = placedIdentityProviders(
      { begin: () => unreached, finish: () => unreached, password: () => unreached, logoutKeys: () => slow },
      places,
    )
    const asked = { provider: "corp" }
    const keys = Array.from({ length: 150 }, () => Effect.runPromise(Effect.exit(placed.logoutKeys?.(asked) ?? Effect.die("no keys"))))
    await turn()
    expect(places.load()).toEqual({ waiting: 100, refused: 50 })
    const failure = await Effect.runPromise(
      placed
        .password({ provider: "corp", username: "ann", password: secretOf("x") })
        .pipe(Effect.catch((error) => Effect.succeed(failing(error)))),
    )
    expect(failure).toBe("IdentityProviders.begin: Error: asked")
    const strangers = Array.from({ length: 150 }, (_, at) => wait(`tarpit ${at}`, true))
    await turn()
    expect(places.load().waiting).toBe(200)
    end()
    ends.forEach((each) => each())
    await Promise.all([...keys, ...strangers])
    expect(places.load().waiting).toBe(0)
  })

  it("give their place back when what they wait for fails, and when they are interrupted", async () => {
    const { places } = trial()
    const failed = new PortFailed({ port: "Outbound", operation: "fetch", cause: new Error("no such host") })
    await Effect.runPromise(Effect.exit(places.wait("a", "Outbound", "fetch", () => Effect.fail(failed))))
    await Effect.runPromise(
      Effect.timeoutOption(
        places.wait("a", "Outbound", "fetch", () => Effect.never),
        1,
      ),
    )
    expect(places.load()).toEqual({ waiting: 0, refused: 0 })
  })

  it.each([
    ["https://Hole.example:8443/jwks?x=1", "hole.example:8443"],
    ["http://127.0.0.1/", "127.0.0.1"],
    ["https://[2001:db8::1]:1/#", "[2001:db8::1]:1"],
    ["nothing", "nothing"],
  ])("%s is of host %s", (url, host) => {
    expect(hostOf(url)).toBe(host)
  })
})
