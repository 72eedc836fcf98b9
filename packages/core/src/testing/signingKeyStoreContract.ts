import type { SigningKey, SigningKeyStore } from "../jose/signingKey.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
import { sampleTime } from "./rows.ts"

const it = contractCase<SigningKeyStore>

/** The row of a signing key whose key does not work. */
export const sampleSigningKey = (kid: string, told: Partial<SigningKey> = {}): SigningKey => ({
  kid,
  alg: "ES256",
  privateJwk: `{"kid":"${kid}"}`,
  publicJwk: { kty: "EC", kid, alg: "ES256", use: "sig" },
  createdAt: sampleTime,
  activeAt: sampleTime,
  ...told,
})

const [one, two, three] = [
  sampleSigningKey("one"),
  sampleSigningKey("two", { alg: "RS256", activeAt: sampleTime + 1 }),
  sampleSigningKey("three"),
]

const listed = async (store: SigningKeyStore): Promise<ReadonlyArray<SigningKey>> =>
  [...(await store.list())].sort((left, right) => (left.kid < right.kid ? -1 : 1))

/** The cases that every signing key store must pass. */
export const signingKeyStoreContract: ReadonlyArray<ContractCase<SigningKeyStore>> = [
  it("keys come back as they were added", async (store) => {
    expectSame(await listed(store), [], "no keys")
    expectSame(await store.add([one, two], []), "Committed", "add")
    expectSame(await listed(store), [one, two], "keys")
  }),
  it("adding conflicts unless exactly the stored kids were seen, so two starters never both add", async (store) => {
    expectSame(await store.add([one], []), "Committed", "the first starter")
    expectSame(await store.add([two], []), "Conflict", "the second starter")
    expectSame(await store.add([two], ["three"]), "Conflict", "another kid seen")
    expectSame(await store.add([two], ["one", "three"]), "Conflict", "one kid too many seen")
    expectSame(await listed(store), [one], "keys")
    expectSame(await store.add([two], ["one"]), "Committed", "after listing again")
    expectSame(await store.add([three], ["two", "one"]), "Committed", "in any order")
  }),
  it("a kid is never there twice, and a conflict adds nothing", async (store) => {
    await store.add([one], [])
    expectSame(await store.add([two, sampleSigningKey("one", { alg: "EdDSA" })], ["one"]), "Conflict", "a stored kid")
    expectSame(await store.add([two, two], ["one"]), "Conflict", "a kid twice in one set")
    expectSame(await listed(store), [one], "keys")
  }),
  it("removed keys are gone, and removing an unknown kid changes nothing", async (store) => {
    await store.add([one, two], [])
    await store.remove(["one", "nobody"])
    await store.remove([])
    expectSame(await listed(store), [two], "keys")
  }),
]
