import { consumeCode, keepGrant, saveAccessToken, saveCode, saveGrant, saveRefreshToken } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import { sampleAccessToken, sampleCode, sampleGrant, sampleLocator, sampleRefreshToken, sampleTime } from "@postern/core/testing"

/** One grant of a number, as the authorization endpoint and then the token endpoint ask it of a store. */
export const grantOnce = async (tokens: TokenStorePort, at: number): Promise<void> => {
  const [grantId, code, access, refresh] = [at * 4, at * 4 + 1, at * 4 + 2, at * 4 + 3]
  const id = sampleLocator(grantId)
  await tokens.commit([saveGrant(sampleGrant(grantId)), saveCode(sampleCode(code, { grantId: id }))])
  const found = await tokens.findCode(sampleLocator(code))
  if (found === undefined) throw new Error("the code is not there")
  const done = await tokens.commit([
    consumeCode(sampleLocator(code), sampleTime, sampleTime + 60),
    keepGrant(id, sampleTime + 7200),
    saveAccessToken(sampleAccessToken(access, { grantId: id })),
    saveRefreshToken(sampleRefreshToken(refresh, { grantId: id })),
  ])
  if (done !== "Committed") throw new Error("the code was not redeemed")
}

/** Some grants, eight at once. */
export const grantsOn = async (tokens: TokenStorePort, first: number, count: number): Promise<void> => {
  let next = first
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < first + count) await grantOnce(tokens, next++)
    }),
  )
}
