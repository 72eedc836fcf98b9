/**
 * A grant of your own: a turnstile reads a badge, and gets an access token that stands for whoever wears it.
 *
 * The grant is one value. It needs nothing but `@postern/core`, and `createProvider` is all that has to know of it.
 */
import {
  type ExtensionGrant,
  type Fault,
  type GrantSeen,
  type Json,
  type PagesPort,
  createProvider,
  defineClient,
  extensionGrant,
  pass,
  refuse,
  table,
} from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { memoryAuthenticator, memoryClientStore, memoryTokenStore } from "@postern/core/memory"

/** A badge as the company's own system knows it. */
interface Badge {
  /** The `subject` of the person who wears it. */
  readonly wearer: string
  readonly lost: boolean
}

/** Rights of each client: here, the doors it stands at. */
interface BadgePolicy {
  readonly doors: ReadonlyArray<string>
}

const readPolicy = (stated: Json | undefined): { readonly policy: BadgePolicy } | { readonly fault: Fault } => {
  const doors = typeof stated === "object" && stated !== null && "doors" in stated ? stated.doors : []
  return Array.isArray(doors) && doors.every((each) => typeof each === "string")
    ? { policy: { doors } }
    : { fault: { path: ["doors"], reason: "is not a list of texts", hint: 'write the doors as ["north"]' } }
}

const parameters = { badge: "required", swipe: "required", door: "required" } as const

type BadgeSeen = GrantSeen<typeof parameters, BadgePolicy, { readonly badge: Badge | undefined }>

const rules = table<BadgeSeen>("token/badge")
  .rule("badge.door", "house rule 1", (s) =>
    s.policy.doors.includes(s.parameters.door)
      ? pass
      : refuse("invalid_request", "The client does not stand at this door.", "not among the policy's doors"),
  )
  .present("badge.known", "house rule 2", "badge", () => refuse("invalid_grant", "The badge is not valid.", "no badge has this number"))
  .rule("badge.not-lost", "house rule 3", (s) =>
    s.badge.lost ? refuse("invalid_grant", "The badge is not valid.", "reported as lost") : pass,
  )

/** The badge grant. `find` may take its time; what it throws is answered `temporarily_unavailable`. */
export const badgeGrant = (find: (number: string) => Promise<Badge | undefined>): ExtensionGrant =>
  extensionGrant({
    name: "https://grants.example.com/badge",
    parameters,
    policy: readPolicy,
    rules,
    load: async (q) => ({ badge: await find(q.parameters.badge) }),
    grant: (s) => ({
      subject: s.badge.wearer,
      lifetime: 300,
      claims: { door: s.parameters.door },
      // A swipe that is overheard opens nothing a second time.
      useOnce: [{ key: s.parameters.swipe, until: s.now + 3600 }],
    }),
  })

const badges: ReadonlyMap<string, Badge> = new Map([
  ["1001", { wearer: "1", lost: false }],
  ["1002", { wearer: "1", lost: true }],
])

const now = (): number => Math.floor(Date.now() / 1000)
const keys = [await generateKey("RS256", { createdAt: now(), activeAt: now() })]
const pages: PagesPort = { render: (page) => `<!doctype html><html lang="en"><title>${page._tag}</title></html>` }

/** Rules of registration that it adds. */
const setting = {
  issuer: "http://127.0.0.1:4100",
  resources: [{ identifier: "https://doors.example.com", title: "Doors", scopes: [{ name: "door.open", required: false }] }],
  grants: [badgeGrant(async (number) => badges.get(number))],
}

const turnstile = defineClient(
  {
    client_id: "turnstile",
    grant_types: ["https://grants.example.com/badge"],
    scope: "door.open",
    grant_policies: { "https://grants.example.com/badge": { doors: ["north"] } },
  },
  setting,
)

export const provider = createProvider({
  ...setting,
  clients: memoryClientStore([turnstile], { turnstile: "the turnstile's secret" }),
  authenticator: memoryAuthenticator([
    { person: { subject: "1", username: "alice", active: true, claims: { name: "Alice Ant" } }, password: "wonderland" },
  ]),
  pages,
  tokens: memoryTokenStore(),
  signer: joseSigner({ keys: () => keys, now }),
})

/** Posts as the turnstile does. */
export const swipe = (fields: Readonly<Record<string, string>>): Promise<Response> =>
  provider.fetch(
    new Request("http://127.0.0.1:4100/connect/token", {
      method: "POST",
      headers: { authorization: `Basic ${btoa("turnstile:the+turnstile%27s+secret")}` },
      body: new URLSearchParams({ grant_type: "https://grants.example.com/badge", ...fields }),
    }),
  )
