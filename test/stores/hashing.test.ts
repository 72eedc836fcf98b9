import { argon2id, isPasswordHash } from "@postern/stores"
import { describe, expect, test } from "vitest"
import { declaredSecrets } from "../../packages/stores/src/secrets/declaredSecrets.ts"
import { hashPlaces, shareOf } from "../../packages/stores/src/secrets/hashing.ts"
import { digestSecret, isDigest } from "../../packages/stores/src/secrets/secretDigest.ts"
import { cheap } from "../store/support.ts"
import { standInHash, standInHashing } from "./standInHashing.ts"

describe("slow hashes", () => {
  test("RFC 9106: are argon2id's, each with a salt of its own, and fit their secret alone, however it is composed (RFC 8265 §4.2.2)", async () => {
    const { hash, verify } = argon2id(cheap)
    const [one, two] = await Promise.all([hash("ﬁancé"), hash("ﬁance\u0301")])
    expect([one, two]).toEqual([expect.stringMatching(/^\$argon2id\$v=19\$m=32,t=1,p=1\$/), expect.stringMatching(/^\$argon2id\$/)])
    expect(one).not.toBe(two)
    expect(await Promise.all([verify(one, "ﬁance\u0301"), verify(two, "ﬁancé"), verify(one, "Fiancé")])).toEqual([true, true, false])
  })

  test("are made at the cost that OWASP advises where none is given; one of another cost is outdated, and nobody's secret has the decoy", async () => {
    const usual = argon2id()
    const of = (m: number, t: number, p: number) => standInHash("a", `m=${m},t=${t},p=${p}`)
    expect([of(19_456, 2, 1), of(19_455, 2, 1), of(19_456, 3, 1), of(19_456, 2, 2)].map(usual.outdated)).toEqual([false, true, true, true])
    const { decoy, verify, outdated } = argon2id({ memoryCost: 64, timeCost: 3, parallelism: 2 })
    expect(decoy).toMatch(/^\$argon2id\$v=19\$m=64,t=3,p=2\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect([isPasswordHash(decoy), outdated(decoy), await verify(decoy, "")]).toEqual([true, false, false])
    expect(argon2id().decoy).not.toBe(argon2id().decoy)
  })

  test("are taken over from elsewhere where their check costs at most 256 MiB, 10 passes and 8 lanes", () => {
    const of = (m: number, t: number, p: number) => isPasswordHash(standInHash("a", `m=${m},t=${t},p=${p}`))
    expect([of(262_144, 10, 8), of(262_145, 10, 8), of(262_144, 11, 8), of(262_144, 10, 9), of(64, 1, 1)]).toEqual([
      true,
      false,
      false,
      false,
      true,
    ])
    const right = standInHash("a")
    for (const wrong of [
      `x${right}`,
      `${right} x`,
      right.replace("argon2id", "argon2i"),
      right.replace("v=19", "v=16"),
      right.replace("m=64", "m=x"),
      right.replace("t=1", "t="),
      right.replace("p=1", "p=y"),
      right.replace("c2FsdHNhbHQ", ""),
      right.replace("c2FsdHNhbHQ", "!"),
      `${right.split("$").slice(0, -1).join("$")}$`,
      `${right}!`,
      right.replace("m=64", "m=0"),
      right.replace("p=1", "p=0"),
      right.replace("m=64", `m=${"9".repeat(30)}`),
      "",
    ])
      expect(isPasswordHash(wrong), wrong).toBe(false)
  })

  test("of one of several worker processes run on its share of the places: at least one of a kind, and one for another", () => {
    const all = hashPlaces(8, 8)
    expect([shareOf(all, 1), shareOf(all, 2), shareOf(all, 8)]).toEqual([
      all,
      { places: Math.max(2, Math.ceil(all.places / 2)), placesOfKind: Math.max(1, Math.floor(all.placesOfKind / 2)) },
      { places: 2, placesOfKind: 1 },
    ])
    expect(shareOf({ places: 7, placesOfKind: 5 }, 2)).toEqual({ places: 4, placesOfKind: 2 })
  })

  test("that wait are bounded for each worker by its share, and counted by their kind", async () => {
    const { hash, load } = argon2id(cheap, 64)
    const asked = Array.from({ length: 12 }, (_, at) => hash(`secret ${at}`, { kind: "sign_in" }))
    const { running, waiting, refused } = load("sign_in")
    expect([running, waiting, running + waiting + refused, load("operator").waiting]).toEqual([1, 4, 12, 0])
    const done = await Promise.allSettled(asked)
    expect(done.filter(({ status }) => status === "fulfilled").length).toBe(5)
    const by = argon2id(cheap)
    const operator = by.hash("secret")
    expect(by.load("operator").running).toBe(1)
    expect(await by.verify(await operator, "secret")).toBe(true)
  })
})

describe("fast digests", () => {
  test("NIST SP 800-63B §3.1.2.2: are of a client and its secret, however it is composed, and told from slow hashes", () => {
    const digest = digestSecret("web", "rené")
    expect(digest).toMatch(/^\$sha256\$[\w-]{43}$/)
    expect([digestSecret("web", "rene\u0301"), digestSecret("other", "rené") === digest, digestSecret("web", "René") === digest]).toEqual([
      digest,
      false,
      false,
    ])
    expect([isDigest(digest), isDigest(standInHash("a")), isDigest(`x${digest}`)]).toEqual([true, false, false])
  })
})

describe("declared secrets", () => {
  const declaring = (confirms?: boolean) => {
    const hashing = standInHashing()
    const rehashed: Array<ReadonlyArray<string>> = []
    const declared = declaredSecrets(hashing, (...given) => void rehashed.push(given), confirms)
    return { hashing, rehashed, declared }
  }

  test("count for whoever declared them while the row keeps the hash, and for nobody else", () => {
    const { declared } = declaring()
    declared.declare("web", "kept", "right", true)
    expect([
      declared.matches("web", "kept", "right"),
      declared.matches("web", "kept", "wrong"),
      declared.matches("web", "another", "right"),
      declared.matches("web", undefined, "right"),
      declared.matches("other", "kept", "right"),
    ]).toEqual([true, false, undefined, undefined, undefined])
    declared.declare("other", "kept too", "right", true)
    declared.declare("web", "later", "new", true)
    expect([declared.hashes(), declared.matches("web", "later", "new"), declared.matches("web", "kept", "right")]).toEqual([
      [
        ["web", "later"],
        ["other", "kept too"],
      ],
      true,
      undefined,
    ])
  })

  test("are compared with their rows once, and those that are of another secret or cost are written", async () => {
    const { hashing, rehashed, declared } = declaring()
    const outdated = standInHash("right", "m=128,t=3,p=2")
    declared.declare("own", standInHash("right"), "right", true)
    declared.declare("same", standInHash("right"), "right", false)
    declared.declare("changed", standInHash("old"), "new", false)
    declared.declare("dear", outdated, "right", false)
    await declared.confirm()
    expect(rehashed).toEqual([
      ["changed", standInHash("old"), standInHash("new")],
      ["dear", outdated, standInHash("right")],
    ])
    expect(hashing.verified, "one of another cost is made anew without a look").toEqual(["right operator -", "new operator -"])
    declared.declare("same", standInHash("right"), "right", false)
    await declared.confirm()
    expect([rehashed.length, hashing.verified.length], "it was compared").toEqual([2, 2])
    declared.declare("same", standInHash("other"), "right", false)
    await declared.confirm()
    expect([rehashed.length, hashing.verified.length]).toEqual([3, 3])
    const elsewhere = declaring(false)
    elsewhere.declared.declare("changed", standInHash("old"), "new", false)
    await elsewhere.declared.confirm()
    expect([elsewhere.rehashed, elsewhere.hashing.verified]).toEqual([[], []])
  })
})
