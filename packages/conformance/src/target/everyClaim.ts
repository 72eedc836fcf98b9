import type { Json } from "@postern/core"

/** All standard claims of a fictitious person (OpenID Connect Core §5.1). */
export const everyClaim: Readonly<Record<string, Json>> = {
  name: "Alice Ant",
  given_name: "Alice",
  family_name: "Ant",
  middle_name: "Beatrice",
  nickname: "Ali",
  preferred_username: "alice",
  profile: "https://people.example/alice",
  picture: "https://people.example/alice.png",
  website: "https://alice.example",
  gender: "female",
  birthdate: "1990-02-28",
  zoneinfo: "Europe/Vienna",
  locale: "de-AT",
  updated_at: 1_700_000_000,
  email: "alice@example.com",
  email_verified: true,
  address: { street_address: "1 Ant Hill", locality: "Vienna", postal_code: "1010", country: "AT" },
  phone_number: "+43 1 5550100",
  phone_number_verified: false,
}
