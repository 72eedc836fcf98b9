import { expect } from "vitest"

const texts = [
  "name",
  "given_name",
  "family_name",
  "middle_name",
  "nickname",
  "preferred_username",
  "profile",
  "picture",
  "website",
  "email",
  "gender",
  "zoneinfo",
  "locale",
  "phone_number",
]

const saysSomething = (value: unknown): boolean => typeof value === "string" && value.trim() !== "" && value !== "null"

/** Standard claims, wherever they are seen, are well typed and never empty (OpenID Connect Core §5.1, §5.3.2). */
export const standardClaimsHold = (claims: Readonly<Record<string, unknown>>, now: number): void => {
  for (const name of texts.filter((each) => each in claims)) expect(claims[name], name).toSatisfy(saysSomething)
  for (const name of ["email_verified", "phone_number_verified"].filter((each) => each in claims))
    expect(claims[name], name).toBeTypeOf("boolean")
  if ("updated_at" in claims) expect(claims["updated_at"]).toSatisfy((at: number) => at > 631_152_000 && at <= now)
  if ("birthdate" in claims) {
    expect(claims["birthdate"]).toMatch(/^(?:\d{4}|\d{4}-\d{2}-\d{2})$/)
    const year = Number(String(claims["birthdate"]).slice(0, 4))
    expect(year).toSatisfy((born: number) => born === 0 || (born >= 1850 && born <= new Date(now * 1000).getUTCFullYear()))
  }
  if ("address" in claims) {
    const parts = Object.values(claims["address"] as Record<string, unknown>)
    expect(parts.length).toBeGreaterThan(0)
    for (const part of parts) expect(part).toSatisfy(saysSomething)
  }
}
