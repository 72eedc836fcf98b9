import type {
  AuthenticatorPort,
  ClientStorePort,
  DigestPort,
  EntropyPort,
  PagesPort,
  SignerPort,
  TokenStorePort,
  TrailPort,
} from "./ports/index.ts"
import type { Settings } from "./model/index.ts"
import type { Answer, Message } from "./wire/index.ts"

/** What an embedder binds a provider to. Every port may answer at once or with a promise. */
export interface ProviderPorts {
  readonly clients: ClientStorePort
  readonly tokens: TokenStorePort
  readonly signer: SignerPort
  readonly authenticator: AuthenticatorPort
  readonly pages: PagesPort
  /** WebCrypto's when not given. */
  readonly entropy?: EntropyPort
  /** WebCrypto's when not given. */
  readonly digest?: DigestPort
  readonly trails?: TrailPort
  /** Milliseconds since 1970; the system's clock when not given. */
  readonly clock?: () => number
}

/** A provider: requests in, answers out. */
export interface Provider {
  /** Answers a message; never rejects. */
  readonly handle: (message: Message) => Promise<Answer>
  /** The same for web-standard runtimes. */
  readonly fetch: (request: Request) => Promise<Response>
  readonly settings: Settings
}
