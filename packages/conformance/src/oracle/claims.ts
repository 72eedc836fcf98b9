import { textOf } from "../exchange/exchange.ts"

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "" && value !== "null"

/** Tells whether a standard claim has its form (OpenID Connect Core §5.1). */
export const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...Object.fromEntries(
    [
      "name",
      "given_name",
      "family_name",
      "middle_name",
      "nickname",
      "preferred_username",
      "gender",
      "zoneinfo",
      "locale",
      "phone_number",
    ].map((name) => [name, isText]),
  ),
  ...Object.fromEntries(["profile", "picture", "website"].map((name) => [name, (value: unknown) => URL.canParse(textOf(value))])),
  email: (value) => /^[^@\s]+@[^@\s]+$/.test(textOf(value)),
  email_verified: (value) => typeof value === "boolean",
  phone_number_verified: (value) => typeof value === "boolean",
  updated_at: (value) => typeof value === "number",
  birthdate: (value) => /^(\d{4}(-\d{2}-\d{2})?|0000-\d{2}-\d{2})$/.test(textOf(value)),
  address: (value) => typeof value === "object" && value !== null && Object.values(value).length > 0 && Object.values(value).every(isText),
}
