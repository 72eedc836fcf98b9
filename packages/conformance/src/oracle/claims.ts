import { textOf } from "../exchange/exchange.ts"

type Form = (value: unknown) => boolean

const isText: Form = (value) => typeof value === "string" && value.trim() !== "" && value !== "null"
const isUrl: Form = (value) => URL.canParse(textOf(value))
const isTruth: Form = (value) => typeof value === "boolean"

/** The claims that each scope requests (OpenID Connect Core §5.4), each with its form (§5.1). */
const standard: Readonly<Record<string, Readonly<Record<string, Form>>>> = {
  profile: {
    name: isText,
    family_name: isText,
    given_name: isText,
    middle_name: isText,
    nickname: isText,
    preferred_username: isText,
    profile: isUrl,
    picture: isUrl,
    website: isUrl,
    gender: isText,
    birthdate: (value) => /^(\d{4}(-\d{2}-\d{2})?|0000-\d{2}-\d{2})$/.test(textOf(value)),
    zoneinfo: isText,
    locale: isText,
    updated_at: (value) => typeof value === "number",
  },
  email: { email: (value) => /^[^@\s]+@[^@\s]+$/.test(textOf(value)), email_verified: isTruth },
  address: { address: (value) => typeof value === "object" && value !== null && Object.values(value).every(isText) },
  phone: { phone_number: isText, phone_number_verified: isTruth },
}

/** The claims that each scope requests (OpenID Connect Core §5.4). */
export const claimsOfScope = Object.entries(standard).map(([scope, claims]) => ({ scope, claims: Object.keys(claims) }))

/** Reports whether a standard claim has the required form (OpenID Connect Core §5.1). */
export const forms: Readonly<Record<string, Form>> = Object.fromEntries(Object.values(standard).flatMap((claims) => Object.entries(claims)))
