import { type Binding, type Client, type Settings, isPublic } from "../../model/index.ts"
import { type BoundTokens, boundKinds } from "./metadata.ts"

/** Kinds of clients, as far as it matters to the binding of tokens. */
export type ClientKind = "public" | "confidential"

/**
 * The tokens that are bound to the key of a proof, by what the client or the provider wants and by the kind of client. The refresh tokens of a public client are bound
 * whatever is wanted (RFC 9449 §5): nothing else tells who presents them.
 */
export const bindings: Readonly<Record<BoundTokens | "unstated", Readonly<Record<ClientKind, Binding>>>> = {
  unstated: { public: { access: true, refresh: true }, confidential: { access: true, refresh: false } },
  access: { public: { access: true, refresh: true }, confidential: { access: true, refresh: false } },
  refresh: { public: { access: false, refresh: true }, confidential: { access: false, refresh: true } },
  both: { public: { access: true, refresh: true }, confidential: { access: true, refresh: true } },
}

/** The tokens of a client that are bound to the key of a proof: as it wants, or else as the provider does. */
export const bindingOf = (client: Client, settings: Settings): Binding =>
  bindings[boundKinds.of(client) ?? boundKinds.of(settings) ?? "unstated"][isPublic(client) ? "public" : "confidential"]
