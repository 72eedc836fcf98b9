import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { afterAll, describe, expect, it, vi } from "vitest"
import { checkConfig } from "../../packages/cli/src/config/check.ts"
import { loadSetup } from "../../packages/cli/src/config/load.ts"
import { type SampleChoices, sampleJson, sampleYaml } from "../../packages/cli/src/config/sample.ts"
import { surroundingsOf } from "../../packages/cli/src/config/surroundings.ts"
import { defaultAnswers } from "../../packages/cli/src/init/answers.ts"
import { type Asker, questions } from "../../packages/cli/src/init/questions.ts"
import { runProvider } from "../../packages/cli/src/serve/run.ts"
import { full, runs, sample } from "../tiers/tier.ts"
import { pem } from "./pem.ts"
import { folder, patience, postern } from "./run.ts"
import { atTerminal, script } from "./terminal.ts"

vi.setConfig({ testTimeout: 2 * patience })

const [down, enter, clear] = ["\u001b[B", "\r", "\u0015"]

const { cwd, remove } = folder(null)
afterAll(remove)
mkdirSync(join(cwd, "tls"))
for (const [name, text] of Object.entries({ "key.pem": pem.key, "cert.pem": pem.cert })) writeFileSync(join(cwd, "tls", name), text)

/** The forms of a configuration. */
const files = ["postern.jsonc", "postern.json", "postern.yaml", "postern.yml"]
const textIn = (file: string, choices: SampleChoices) => (/\.ya?ml$/.test(file) ? sampleYaml(choices) : sampleJson(choices))

/** The other answers that lead to other questions; every other question is answered by what it suggests. */
const others: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Its public base URL (the issuer)": ["https://id.example.com", "https://id.example.com/tenant", "https://localhost:8443"],
}

/** A way through the questions: which answer was taken at each that has several, and how many there are. */
interface Way {
  readonly taken: ReadonlyArray<{ readonly at: number; readonly of: number; readonly title: string }>
  readonly choices: SampleChoices
}

/** Goes a way: the answers to the first questions are given, and from there on the first is taken. */
const go = async (given: ReadonlyArray<number>): Promise<Way> => {
  const taken: Array<Way["taken"][number]> = []
  const take = <A>(answers: ReadonlyArray<{ readonly title: string; readonly value: A }>): A => {
    const at = given[taken.length] ?? 0
    const answer = answers[at]
    if (answer === undefined) throw new Error("There is no such answer.")
    taken.push({ at, of: answers.length, title: answer.title })
    return answer.value
  }
  const asker: Asker<never> = {
    select: (_, choices) => Effect.sync(() => take(choices)),
    text: (message, likely, fault) =>
      Effect.promise(async () => {
        const answer = take([likely, ...(others[message] ?? [])].map((value) => ({ title: value, value })))
        expect([message, answer, await fault(answer)]).toEqual([message, answer, undefined])
        return answer
      }),
    port: (_, likely) => Effect.succeed(likely),
  }
  return { choices: await Effect.runPromise(questions(asker, join(cwd, "postern.jsonc"))), taken }
}

/** Every way there is. */
const ways = async (given: ReadonlyArray<number> = []): Promise<ReadonlyArray<Way>> => {
  const way = await go(given)
  const branches = way.taken.flatMap(({ of }, question) =>
    question < given.length
      ? []
      : Array.from({ length: of - 1 }, (_, other) => [...way.taken.slice(0, question).map(({ at }) => at), other + 1]),
  )
  return [way, ...(await Promise.all(branches.map(ways))).flat()]
}

const all = await ways()

const faultsOf = async (file: string, text: string) => (await checkConfig(file, text, surroundingsOf(join(cwd, file)))).faults

describe("every path through init", () => {
  it("OpenID Connect Registration §2: asks how tokens are signed, and names RS256 only by leaving it out", () => {
    const signed = new Set(
      all.flatMap(({ choices: { client }, taken }) => {
        if (client === undefined) return []
        const { id_token_signed_response_alg: idToken, access_token_signed_response_alg: accessToken, redirect_uris: uris } = client
        expect(idToken).toBe(uris === undefined ? undefined : accessToken)
        const [title = ""] = taken.flatMap(({ title }) => /^(RS256|ES256|EdDSA)/.exec(title)?.[1] ?? [])
        expect(accessToken ?? "RS256").toBe(title)
        return [title]
      }),
    )
    expect([...signed].sort()).toEqual(["ES256", "EdDSA", "RS256"])
  })

  it("is gone: each place, each end of TLS, each kind of client", () => {
    const titles = new Set(all.flatMap(({ taken }) => taken.map(({ title }) => title)))
    for (const title of ["Where others can reach it", "At Postern itself, once there is a certificate", "A machine, without a user"])
      expect(titles).toContain(title)
    expect(new Set(all.map(({ taken }) => taken.map(({ at }) => at).join())).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(80)
  })

  it.for(files)("ends in a %s that check-config accepts", async (file) => {
    // Outside of the full tier each form has a way in eight, and no two forms the same.
    for (const { choices, taken } of sample(all.slice(full ? 0 : 2 * files.indexOf(file)), 8))
      expect([taken.map(({ title }) => title), await faultsOf(file, await textIn(file, choices))]).toEqual([expect.anything(), []])
  })

  it("ends in a file that serve accepts", async () => {
    const met = new Set<string>()
    // A way is served when it takes an answer that none before it has taken.
    const served = all.filter(({ taken }) => taken.filter(({ title }) => !met.has(title) && met.add(title)).length > 0)
    for (const [at, { choices }] of sample([...served.entries()], 3)) {
      const file = join(cwd, `${at}-${files[at % files.length]}`)
      writeFileSync(file, await textIn(file, { ...choices, port: 0, data: `./data-${at}` }))
      const running = Effect.scoped(runProvider({ ...(await loadSetup(file, undefined)), logLevel: "off" }, (trails) => trails))
      expect((await Effect.runPromise(running)).url).toMatch(choices.tls === undefined ? /^http:/ : /^https:/)
    }
    expect(served.length).toBeGreaterThan(8)
  })

  it("--yes takes the first", () => {
    const { client, ...first } = all[0]?.choices ?? defaultAnswers
    expect({ ...first, client: { ...client, client_secret: "" } }).toEqual({
      ...defaultAnswers,
      client: { ...defaultAnswers.client, client_secret: "" },
    })
  })

  it("an answer that the file would be refused for is refused at its question, whatever is typed", async () => {
    const odd = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.constantFrom(
        "http://app.example.com/cb",
        "https://id.example.com/",
        "https://u@id.example.com",
        "javascript:alert(1)",
        "mysql://a",
        "",
        "é",
        "a b",
      ),
    )
    const answers = fc.record({
      typed: fc.array(odd, { minLength: 6, maxLength: 6 }),
      chosen: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom(...files), async ({ typed, chosen }, file) => {
        const [texts, picks] = [[...typed], [...chosen]]
        const asker: Asker<never> = {
          select: (_, choices) =>
            Effect.sync(() => {
              const choice = choices[(picks.pop() ?? 0) % choices.length]
              if (choice === undefined) throw new Error("There is nothing to choose from.")
              return choice.value
            }),
          text: (_, likely, fault) =>
            Effect.promise(async () => {
              const answer = (texts.pop() ?? likely).trim()
              return (await fault(answer)) === undefined ? answer : likely
            }),
          port: (_, likely) => Effect.succeed(likely),
        }
        const choices = await Effect.runPromise(questions(asker, join(cwd, file)))
        expect(await faultsOf(file, await textIn(file, choices))).toEqual([])
      }),
      { numRuns: runs(100) },
    )
  })

  it("what the file leaves commented out is accepted once it is uncommented", async () => {
    vi.stubEnv("POSTERN_KEY", "A".repeat(43))
    vi.stubEnv("ALICE_PASSWORD", "correct horse battery")
    vi.stubEnv("CORP_SECRET", "a secret of ours at another provider")
    const lines = (await sampleYaml(defaultAnswers)).split("\n")
    const keys = lines.flatMap((line) => /^# ([a-z_]+):/.exec(line)?.[1] ?? [])
    expect(keys.length).toBeGreaterThan(8)
    for (const key of keys) {
      const from = lines.findIndex((line) => line.startsWith(`# ${key}:`))
      const length = [...lines.slice(from), ""].indexOf("")
      const text = lines.map((line, at) => (at >= from && at < from + length ? line.slice(2) : line)).join("\n")
      expect([key, await faultsOf("postern.yaml", text)]).toEqual([key, []])
    }
  })

  it("--force makes a file that others could read its owner's alone", async () => {
    const own = folder(null)
    writeFileSync(join(own.cwd, "postern.jsonc"), "{}")
    chmodSync(join(own.cwd, "postern.jsonc"), 0o644)
    expect(await postern(["init", "--yes", "--force"], own)).toMatchObject({ code: 0 })
    expect(statSync(join(own.cwd, "postern.jsonc")).mode & 0o777).toBe(0o600)
    own.remove()
  })

  it.skipIf(!existsSync(script))("asks at a terminal: where others can reach it, every default taken", async () => {
    const own = folder(null)
    const defaults = ["issuer", "TLS end", "port to listen", "folder of", "first client", "signed", "client_id", "redirect URI"]
    const ran = await atTerminal("init", own.cwd, [["run?", `${down}${enter}`], ...defaults.map((question) => [question, enter] as const)])
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("wrote postern.jsonc") })
    expect(readFileSync(join(own.cwd, "postern.jsonc"), "utf8")).toContain('"https://app.example.com/callback"')
    expect(await postern(["check-config", "postern.jsonc"], own)).toMatchObject({ code: 0 })
    own.remove()
  })

  it.skipIf(!existsSync(script))("says at a terminal what is wrong with an answer, and asks again", async () => {
    const own = folder(null)
    const defaults = ["port to listen", "folder of", "first client", "signed", "client_id", "redirect URI"]
    const ran = await atTerminal("init", own.cwd, [
      ["run?", enter],
      ["issuer", `${clear}http://id.example.com${enter}`],
      ["use https", `${clear}http://localhost:8080${enter}`],
      ...defaults.map((question) => [question, enter] as const),
    ])
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining("It is http: use https") })
    expect(readFileSync(join(own.cwd, "postern.jsonc"), "utf8")).toContain('"issuer": "http://localhost:8080"')
    own.remove()
  })
})
