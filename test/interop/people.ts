/** Person who signs in: a user name and a password. */
export const alice = ["alice", "correct horse battery"] as const

/** The people of the provider that the clients of this folder are tried against. */
export const users = [
  {
    username: alice[0],
    password: alice[1],
    subject: "alice-1",
    claims: { name: "Alice Ant", given_name: "Alice", family_name: "Ant", email: "alice@example.com", email_verified: true },
  },
]
