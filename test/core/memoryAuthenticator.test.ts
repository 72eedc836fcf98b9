import { secretOf } from "@postern/core"
import { memoryAuthenticator } from "@postern/core/memory"
import { expect, test } from "vitest"

const person = { subject: "sub-carol", username: "carol", active: true, claims: {}, tenant: "labs" }
const people = memoryAuthenticator([{ person, password: "correct horse" }])

test("specification §2.1 acr_values: the authenticator in memory refuses a person of another tenant, as the stores do", async () => {
  const verify = async (tenant: string | undefined) =>
    (await people.verify({ username: "carol", password: secretOf("correct horse"), tenant, acrValues: [], address: undefined }))._tag
  expect([await verify("labs"), await verify(undefined), await verify("other")]).toEqual(["Verified", "Verified", "Rejected"])
})
