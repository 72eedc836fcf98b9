import type { Client, Pending } from "../model/index.ts"
import { sameDigest } from "../model/index.ts"
import { type PageRefusal, invalidPage } from "./page.ts"
import { type Objection, type ProvingTable, pass, prove, table } from "./rule.ts"

/** A waiting request, and the browser that continues it. */
export interface InteractionSeen {
  readonly now: number
  readonly interaction: Pending | undefined
  /** The browser, identified by the digest of its cookie. */
  readonly browser: { readonly digest: string }
}

/** Seconds for which the outcome of a request is repeated in the same browser, after a double click or a lost response. */
export const answeredAgain = 10

const notWaiting = "The sign-in is no longer waiting."

/** Refuses because the client of a waiting request is gone or disabled. */
export const clientGone = (otherwise = notWaiting): PageRefusal =>
  invalidPage("interaction_expired", otherwise, "the client is gone or disabled")

/** Makes a rule of a waiting request: its client must still exist. */
export const clientStands =
  <In extends object, S extends { readonly client: Client | undefined }>(id: string, cites: string, otherwise = notWaiting) =>
  (begun: ProvingTable<In, S, PageRefusal>) =>
    begun.establish(id, cites, ({ client }: { readonly client: Client | undefined }) =>
      client === undefined || client.disabled ? clientGone(otherwise) : prove({ client }),
    )

/** Validates a waiting request: it exists, belongs to this browser, has not expired, and is not finished. */
export const interactionRules = table<InteractionSeen, PageRefusal>("interaction")
  .present("interaction.known", "OpenID Connect Core §3.1.2.3", "interaction", () =>
    invalidPage("interaction_expired", notWaiting, "no such interaction, or not with this secret"),
  )
  .rule("interaction.browser", "RFC 9700 §4.7.1", ({ interaction, browser }) =>
    sameDigest(interaction.browser, browser.digest)
      ? pass
      : invalidPage(
          "interaction_elsewhere",
          "The sign-in was begun in another browser.",
          "bound to another browser cookie, or to one that is gone",
        ),
  )
  .rule("interaction.fresh", "RFC 9700 §4.7.1", ({ interaction, now }) =>
    now < interaction.expiresAt ? pass : invalidPage("interaction_expired", notWaiting, "expired"),
  )
  .rule("interaction.unfinished", "RFC 6749 §4.1.2", ({ interaction: { finishedAt }, now }) =>
    finishedAt === undefined || now <= finishedAt + answeredAgain
      ? pass
      : invalidPage("interaction_finished", "The sign-in is already finished.", "answered before"),
  )

/** Checks that a page still has a question. A finished request leads to its outcome, however its page is reached. */
export const openRules = table<{ readonly interaction: Pending | undefined }, Objection>("interaction/open").rule(
  "interaction.open",
  "RFC 6749 §4.1.2",
  ({ interaction }) => (interaction?.finishedAt === undefined ? pass : { reason: "answered before" }),
)
