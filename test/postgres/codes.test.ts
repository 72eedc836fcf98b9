import type { SqlError } from "effect/sql/SqlError"
import { expect, test } from "vitest"
import { codeOf } from "../../packages/adapter-postgres/src/database/failure.ts"

const failed = (code: unknown) => codeOf({ reason: { cause: { code } } } as unknown as SqlError)

test("a code of the operating system is not taken for an answer of PostgreSQL, whatever its length (PostgreSQL appendix A)", () => {
  for (const code of ["EPIPE", "ECONNRESET", "ETIMEDOUT", "EBADF", undefined, 42]) expect(failed(code)).toBe("DISCONNECTED")
  for (const code of ["40001", "40P01", "23505", "57P01", "08006", "PN409", "XX000"]) expect(failed(code)).toBe(code)
})
