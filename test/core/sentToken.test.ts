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

test.each(["Bearer abc, ", "Bearer abc,", ", Bearer abc", "Bearer abc, Bearer abc", "Bearer a,b"])(
  "RFC 6750 §2.1, RFC 9110 §5.3: %j is no token, since a comma joins repeated fields, even empty ones",
  (authorization) => {
    const { tokens, unreadable } = sentToken({ ...asked, headers: { authorization } }, [])
    expect([tokens, unreadable]).toEqual([[], true])
  },
)
