import type {
  Client,
  Decision,
  Instant,
  PendingVisit,
  Person,
  ProviderChoice,
  Session,
  Settings,
  WaitingInteraction,
  WaitingRequest,
} from "../model/index.ts"
import { withoutUndefined } from "../model/index.ts"
import { acrAsked, acrReached } from "../rules/acr.ts"
import { displayedClient, displayedPerson } from "../rules/faces.ts"
import { type ProviderSeen, offeredProviders } from "../rules/provider.ts"
import { type Tracing, spell } from "../rules/rule.ts"
import { isLive } from "../rules/session.ts"
import { basePathOf } from "../wire/index.ts"
import type { Inquiry } from "./inquiry.ts"
import type { PageOpened } from "./visits.ts"

/**
 * Returns the providers at which the person may sign in, each with its form. Its action is a full path with the issuer's path, because the
 * embedder's page is not below it.
 */
export const providerChoices = (seen: ProviderSeen, browser: { readonly csrf: string }, handle: string): ReadonlyArray<ProviderChoice> =>
  offeredProviders(seen).map(({ name, displayName }) => ({
    name,
    displayName,
    form: {
      action: `${basePathOf(seen.settings.issuer)}/login/upstream`,
      hidden: [
        ["csrf", browser.csrf],
        ["interaction", handle],
        ["provider", name],
      ],
    },
  }))

/** A visitor of a page of the provider that does not belong to an authorization request. */
export interface Visitor {
  readonly settings: Settings
  readonly browser: { readonly csrf: string; readonly session: Session | undefined }
  readonly client: Client | undefined
  readonly handle: string
  readonly now: number
  /** The waiting row, with the original `acr_values` of its sign-in. */
  readonly interaction: Pick<WaitingRequest, "createdAt"> & Pick<PendingVisit, "acrValues">
}

/**
 * Returns the earliest acceptable sign-in for a page, if it is answered now: one that is recent enough for the client, or since the page
 * was opened (OpenID Connect Dynamic Client Registration §2 default_max_age).
 */
export const visitNotBefore = (
  { createdAt }: Pick<WaitingRequest, "createdAt">,
  client: Pick<Client, "defaultMaxAge"> | undefined,
  now: Instant,
): Instant | undefined => (client?.defaultMaxAge === undefined ? undefined : Math.min(createdAt, now - client.defaultMaxAge))

/** Returns the sign-in that a page requires. */
export const visitorSignIn = ({ settings, browser, client, handle, now, interaction }: Visitor): WaitingInteraction["signIn"] => {
  const standing = isLive(browser.session, now) ? browser.session : undefined
  return {
    again: standing !== undefined,
    acrValues: acrAsked(interaction.acrValues, client).contexts,
    essentialAcr: [],
    acr: standing && acrReached(settings, standing),
    notBefore: visitNotBefore(interaction, client, now),
    local: client?.allowLocalLogin ?? true,
    providers: providerChoices({ settings, client }, browser, handle),
  }
}

/** Answers with the requirements of an interaction. Its languages and request id are added later. */
export const toldWaiting = (waiting: Omit<WaitingInteraction, "locales" | "requestId">): Decision => ({
  _tag: "Reply",
  body: withoutUndefined(waiting),
  cacheable: false,
  commands: [],
})

/** Answers that the visitor of a page must sign in, or sign in again. */
export const toldSignIn = (
  s: PageOpened & { readonly client: Client | undefined; readonly person: Person | undefined; readonly tenant?: string | undefined },
  { trace }: Inquiry,
): Decision =>
  toldWaiting({
    need: "sign_in",
    why: whyOf(trace),
    interaction: s.handle,
    csrf: s.browser.csrf,
    client: s.client && displayedClient(s.client),
    person: s.person && isLive(s.browser.session, s.now) ? displayedPerson(s.person) : undefined,
    tenant: s.tenant,
    signIn: visitorSignIn(s),
    expiresAt: s.interaction.expiresAt,
  })

/** Answers that the visitor of a page of the provider can continue there. */
export const toldGoOn = ({
  settings,
  browser,
  interaction,
  handle,
  client,
  person,
}: PageOpened & { readonly client: Client | undefined; readonly person: Person }): Decision =>
  toldWaiting({
    need: "nothing",
    why: undefined,
    interaction: handle,
    csrf: browser.csrf,
    client: client && displayedClient(client),
    person: displayedPerson(person),
    location: settings.issuer.replace(/\/$/, "") + interaction.path,
    expiresAt: interaction.expiresAt,
  })

/** Returns the rule of the last objection, with its reason. */
export const whyOf = (trace: Tracing): WaitingInteraction["why"] => {
  const step = trace.steps.at(-1)
  const refused = step === undefined ? undefined : spell(trace, step).refused
  return refused && { rule: refused.rule, cites: refused.cites, reason: refused.reason }
}
