import { textOf } from "../exchange/exchange.ts"

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "" && value !== "null"

/** The claims that each scope requests (OpenID Connect Core §5.4). */
export const claimsOfScope: Readonly<Record<string, ReadonlyArray<string>>> = {
  profile: [
    "name",
    "family_name",
    "given_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "updated_at",
  ],
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}

/** Reports whether a standard claim has the required form (OpenID Connect Core §5.1). */
export const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(
    Object.values(claimsOfScope)
      .flat()
      .map((name) => [name, isText]),
  ),
  ...Object.fromEntries(["profile", "picture", "website"].map((name) => [name, (value: unknown) => URL.canParse(textOf(value))])),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(textOf(value)),
  email_verified: (value) => typeof value === "boolean",
  phone_number_verified: (value) => typeof value === "boolean",
  updated_at: (value) => typeof value === "number",
  birthdate: (value) => /^(\d{4}(-\d{2}-\d{2})?|0000-\d{2}-\d{2})$/.test(textOf(value)),
  address: (value) => typeof value === "object" && value !== null && Object.values(value).every(isText),
}
