import { brokenOff, fromRequest, longestBody, toResponse, tooLate, tooLong, unread } from "@postern/core/wire"
import { describe, expect, test } from "vitest"

const url = "https://op.example/connect/token?a=1&b=%20"

describe("a web-standard request as a message", () => {
  test("RFC 9110 §3: method, path, query, headers and body as they were sent; no header is read for the address", async () => {
    const headers = { "X-Forwarded-For": "203.0.113.9", "content-type": "text/plain" }
    expect(await fromRequest(new Request(url, { method: "POST", headers, body: "äö" }))).toEqual({
      method: "POST",
      path: "/connect/token",
      query: "a=1&b=%20",
      headers: { "x-forwarded-for": "203.0.113.9", "content-type": "text/plain" },
      body: "äö",
      address: undefined,
    })
  })

  test.each(["GET", "HEAD"])("RFC 9110 §9.3: %s has no body", async (method) => {
    expect(await fromRequest(new Request("https://op.example/", { method }))).toMatchObject({ method, query: "", body: "" })
  })

  test("RFC 9110 §9.3.3: a POST without a body has an empty one", async () => {
    expect(await fromRequest(new Request(url, { method: "POST" }))).toMatchObject({ body: "" })
  })

  test.each([
    [{ address: "203.0.113.9" }, "203.0.113.9"],
    [{ address: "" }, undefined],
    [{ address: 7 as unknown as string }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("of the caller %j the address is %j", async (caller, address) => {
    expect((await fromRequest(new Request(url), caller))?.address).toBe(address)
  })

  test("RFC 9110 §15.5.14: a body of the longest length is read, one byte more is not", async () => {
    const body = "x".repeat(longestBody)
    expect((await fromRequest(new Request(url, { method: "POST", body })))?.body).toBe(body)
    expect(await fromRequest(new Request(url, { method: "POST", body: `${body}x` }))).toBeUndefined()
  })

  test("a body that was read before, or that somebody reads, is told at once", async () => {
    const read = new Request(url, { method: "POST", body: "a" })
    await read.text()
    const locked = new Request(url, { method: "POST", body: "a" })
    locked.body?.getReader()
    for (const request of [read, locked]) await expect(fromRequest(request)).rejects.toThrow("before the provider saw the request")
  })

  test("RFC 3629 §3: letters that come in two pieces are one", async () => {
    const bytes = new TextEncoder().encode("ä")
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const request = new Request(url, { method: "POST", body, duplex: "half" } as RequestInit)
    expect((await fromRequest(request))?.body).toBe("ä")
    const cut = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(bytes.subarray(0, 1))
        controller.close()
      },
    })
    expect((await fromRequest(new Request(url, { method: "POST", body: cut, duplex: "half" } as RequestInit)))?.body).toBe("\uFFFD")
  })
})

describe("an answer as a web-standard response", () => {
  const answer = {
    status: 400,
    headers: [
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["content-type", "application/json"],
    ],
    body: "{}",
  } as const

  test("RFC 9110 §5.3: status, body and every header, repeated ones too", async () => {
    const response = toResponse(answer, "POST")
    expect([response.status, response.headers.getSetCookie(), await response.text()]).toEqual([400, ["a=1", "b=2"], "{}"])
  })

  test("RFC 9110 §9.3.2: to HEAD, and where there is nothing to say, there is no body", () => {
    expect(toResponse(answer, "HEAD").body).toBeNull()
    expect(toResponse({ ...answer, body: "" }, "GET").body).toBeNull()
  })

  test.each([
    ["a body that is too long", tooLong, 413, { error: "invalid_request", error_description: "The body is too long." }],
    [
      "a body that does not arrive in time",
      tooLate,
      408,
      { error: "invalid_request", error_description: "The body did not arrive in time." },
    ],
    ["a body that breaks off", brokenOff, 400, { error: "invalid_request", error_description: "The body is incomplete." }],
    ["a body that could not be read", unread, 500, { error: "server_error", error_description: "The body could not be read." }],
  ] as const)("RFC 9110 §15.5, §15.6.1: %s is answered and not stored", async (_what, made, status, json) => {
    const response = made()
    expect([response.status, response.headers.get("cache-control"), await response.json()]).toEqual([status, "no-store", json])
  })
})
