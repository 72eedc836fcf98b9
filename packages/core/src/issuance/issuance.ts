import type { Challenge, Client, Command, Confirmation, Grant, GrantExtension, JsonObject, Person } from "../model/index.ts"
import type { FamilyStep } from "./family.ts"

/** The basis of a new grant. The issuance supplies its client, person, scope, id and times. */
export type Basis = Pick<
  Grant,
  "sessionId" | "resources" | "authTime" | "amr" | "acr" | "nonce" | "claims" | "authorizationDetails" | "parentId" | "extension"
> &
  Partial<Pick<Grant, "endsWithSession">>

/** The holder of the tokens: the client itself, or a person through a new or an existing grant. */
export type Whose =
  | { readonly _tag: "Client"; readonly extension?: GrantExtension | undefined }
  | { readonly _tag: "NewGrant"; readonly person: Person; readonly basis: Basis }
  | { readonly _tag: "KeptGrant"; readonly person: Person; readonly grant: Grant }

/** The values that a code is bound to. */
export interface CodeContent {
  readonly redirectUri: string
  readonly challenge: Challenge | undefined
  /** The key or certificate that is required to redeem it; undefined if any may (RFC 9449 §10). */
  readonly confirmation?: Confirmation | undefined
}

/**
 * An issuance, which is the result of every grant and of the authorization endpoint. All tokens and their rows are made from one by {@link
 * issue}, so that the binding, the lifetime and the content of a token are decided in one place.
 */
export interface Issuance {
  readonly client: Client
  readonly whose: Whose
  /** The scopes granted by this request. */
  readonly scope: ReadonlyArray<string>
  /** The resources requested now, which narrow the access token (RFC 8707 §2.2). */
  readonly resources: ReadonlyArray<string>
  /** The authorization details that the access token may have (RFC 9396 §6); undefined for all those of the grant. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** True if an access token is issued, which is so except for some response types. */
  readonly accessToken: boolean
  /** The content of a code, if one is issued. */
  readonly code?: CodeContent | undefined
  /**
   * The content of an ID token. One is issued if the scope has `openid` and the person signed in, but not by an extension grant
   * (OpenID Connect Core §2).
   */
  readonly idToken?: { readonly nonce: string | undefined } | undefined
  /** The step of the family of refresh tokens; undefined if none is issued. */
  readonly family?: FamilyStep | undefined
  /** Commands committed with it, for values that it uses up and rows that must still exist. */
  readonly changes: ReadonlyArray<Command>
}
