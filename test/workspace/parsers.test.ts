import * as wire from "@postern/core/wire"
import { expect, test } from "vitest"
import { others, parsers } from "../budget/parsers.ts"

test("every function that reads a message is among the parsers whose worst input is measured (RFC 9110 §17.5)", () => {
  expect(Object.keys(wire).filter((name) => !(name in parsers) && !others.includes(name))).toEqual([])
})
