import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fromRequest, isForm, longestBody, paramsOf, readParams, toResponse, writeParams } from "@postern/core/wire"
import { runs } from "../tiers/tier.ts"
import { anyText, character, many, patient, unicode } from "./arbitraries.ts"

/** WHATWG URL §5.1 by the letter, on bytes: an oracle that shares no code with URLSearchParams. */
const parsedByTheLetter = (text: string): ReadonlyArray<readonly [string, string]> => {
  const decoded = (part: string): string => {
    const bytes: Array<number> = []
    const encoded = Buffer.from(part.replaceAll("+", " ").toWellFormed(), "utf8")
    for (let at = 0; at < encoded.length; at++) {
      const pair = encoded.subarray(at + 1, at + 3).toString("latin1")
      if (encoded[at] === 0x25 && /^[0-9a-fA-F]{2}$/.test(pair)) {
        bytes.push(Number.parseInt(pair, 16))
        at += 2
      } else bytes.push(encoded[at] ?? 0)
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes))
  }
  return text
    .split("&")
    .filter((sequence) => sequence !== "")
    .map((sequence) => {
      const at = sequence.indexOf("=")
      return at < 0 ? [decoded(sequence), ""] : [decoded(sequence.slice(0, at)), decoded(sequence.slice(at + 1))]
    })
}

const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom("scope", "resource", "state", ""), unicode), unicode), { maxLength: 8 })

describe("parameters", () => {
  test("RFC 6749 appendix B: whatever is written as a form is read as it was, empty values left out", () => {
    fc.assert(
      fc.property(pairs, (sent) => {
        const read = readParams(writeParams(sent))
        expect(read.pairs).toEqual(sent.filter(([, value]) => value !== ""))
        expect(read.pairs).toEqual(paramsOf(sent).pairs)
        expect(read.repeated).toEqual(paramsOf(sent).repeated)
      }),
      many,
    )
  })

  test("RFC 6749 §3.1, §3.2: the first value of a name counts, an empty one is none, and a name sent twice is told", () => {
    fc.assert(
      fc.property(pairs, (sent) => {
        const read = readParams(writeParams(sent))
        for (const [name] of sent) {
          const values = sent.flatMap(([each, value]) => (each === name ? [value] : []))
          expect(read.all(name)).toEqual(values.filter((value) => value !== ""))
          expect(read.one(name)).toBe(values.find((value) => value !== ""))
          expect(read.repeated.includes(name)).toBe(values.length > 1)
        }
      }),
      many,
    )
  })

  test("WHATWG URL §5.1: any text reads as something, and as the standard says", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(readParams(text).pairs).toEqual(parsedByTheLetter(text).filter(([, value]) => value !== ""))
      }),
      many,
    )
  })

  test("RFC 9110 §8.3.1: a Content-Type is the form's by its media type alone, without regard to case", () => {
    const form = "application/x-www-form-urlencoded"
    const cased = fc.array(fc.boolean(), { minLength: form.length, maxLength: form.length }).map((upper) =>
      Array.from(form)
        .map((each, at) => (upper[at] === true ? each.toUpperCase() : each))
        .join(""),
    )
    fc.assert(
      fc.property(cased, fc.constantFrom("", ";charset=UTF-8", " ; charset=utf-8", "; a=b;c=d"), anyText, (type, parameters, other) => {
        expect(isForm(type + parameters)).toBe(true)
        if (other.split(";", 1)[0]?.trim().toLowerCase() !== form) expect(isForm(other)).toBe(false)
      }),
      many,
    )
  })
})

describe("web-standard messages", () => {
  test("RFC 9110 §15.5.14: a body is read whole up to the bound in bytes, and not at all beyond it", patient, async () => {
    const around = fc.oneof(fc.nat(200), fc.integer({ min: longestBody - 3, max: longestBody + 3 }))
    await fc.assert(
      fc.asyncProperty(around, fc.constantFrom("a", "é", "語"), async (bytes, character) => {
        const width = Buffer.byteLength(character)
        const body = character.repeat(Math.floor(bytes / width)) + "a".repeat(bytes % width)
        const message = await fromRequest(new Request("https://op.example/connect/token?x=1", { method: "POST", body }))
        expect(message?.body).toBe(bytes > longestBody ? undefined : body)
      }),
      { numRuns: runs(300) },
    )
  })

  test("RFC 9110 §5.3: an answer keeps its status, its body and every header, in order", patient, async () => {
    const token = fc.string({ unit: character("abcdefgh-"), minLength: 1, maxLength: 8 }).filter((name) => !name.startsWith("-"))
    const value = fc.string({ unit: character("abc 019=;,/"), maxLength: 20 }).map((each) => `v${each.trim()}`)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(200, 303, 400, 401, 503),
        fc.array(fc.tuple(token, value)),
        unicode,
        async (status, headers, body) => {
          const response = toResponse({ status, headers, body }, "POST")
          expect(response.status).toBe(status)
          expect(await response.text()).toBe(body.startsWith("\ufeff") ? body.slice(1) : body)
          for (const [name] of headers)
            expect(response.headers.get(name)).toBe(headers.flatMap(([each, of]) => (each === name ? [of] : [])).join(", "))
        },
      ),
      { numRuns: runs(1000) },
    )
  })
})
