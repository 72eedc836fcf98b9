import { sentToken } from "@postern/core/verify"
import { expect, test } from "vitest"

const asked = { method: "GET", query: "", headers: {}, body: "" }
const authorized = { ...asked, headers: { authorization: "Bearer abc" } }

test("RFC 9449 §7.2: a request without a token is told of each other scheme that has a challenge", () => {
  const [bound, plain, certificate] = [{ scheme: "DPoP", challenge: 'algs="ES256"' }, { scheme: "Plain", challenge: 'realm="x"' }, {}]
  expect(sentToken(asked, [bound, certificate, plain]).challenge).toBe('DPoP algs="ES256", Plain realm="x"')
  expect([sentToken(asked, [certificate]).challenge, sentToken(asked, []).challenge]).toEqual(["", ""])
  expect(sentToken(authorized, [bound]).challenge).toBe(undefined)
})
