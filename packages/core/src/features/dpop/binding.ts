import { type Binding, type Client, type Settings, isPublic } from "../../model/index.ts"
import { type BoundTokens, boundKinds } from "./metadata.ts"

/** Kinds of clients that the binding of tokens distinguishes. */
export type ClientKind = "public" | "confidential"

/**
 * The tokens that are bound to the key of a proof, by the setting of the client or the provider and by the kind of client. The refresh
 * tokens of a public client are always bound (RFC 9449 §5), because nothing else shows who presents them.
 */
export const bindings: Readonly<Record<BoundTokens | "unstated", Readonly<Record<ClientKind, Binding>>>> = {
  unstated: { public: { access: true, refresh: true }, confidential: { access: true, refresh: false } },
  access: { public: { access: true, refresh: true }, confidential: { access: true, refresh: false } },
  refresh: { public: { access: false, refresh: true }, confidential: { access: false, refresh: true } },
  both: { public: { access: true, refresh: true }, confidential: { access: true, refresh: true } },
}

/** The tokens of a client that are bound to the key of a proof, by the client's own setting or otherwise by the provider's. */
export const bindingOf = (client: Client, settings: Settings): Binding =>
  bindings[boundKinds.of(client) ?? boundKinds.of(settings) ?? "unstated"][isPublic(client) ? "public" : "confidential"]
