import type { Challenge, Client, Command, Confirmation, Grant, GrantExtension, JsonObject, Person } from "../model/index.ts"
import type { FamilyStep } from "./family.ts"

/** The basis of a new grant. Its client, person, scope, id and times are the issuance's. */
export type Basis = Pick<
  Grant,
  "sessionId" | "resources" | "authTime" | "amr" | "acr" | "nonce" | "claims" | "authorizationDetails" | "parentId" | "extension"
> &
  Partial<Pick<Grant, "endsWithSession">>

/** The owner of the tokens: the client itself, or a person by a grant that is new or was kept before. */
export type Whose =
  | { readonly _tag: "Client"; readonly extension?: GrantExtension | undefined }
  | { readonly _tag: "NewGrant"; readonly person: Person; readonly basis: Basis }
  | { readonly _tag: "KeptGrant"; readonly person: Person; readonly grant: Grant }

/** The values that a code is bound to. */
export interface CodeContent {
  readonly redirectUri: string
  readonly challenge: Challenge | undefined
  /** The key or certificate that it is redeemed with alone; undefined for any (RFC 9449 §10). */
  readonly confirmation?: Confirmation | undefined
}

/**
 * An issuance: the one answer of every grant and of the authorization endpoint. Whatever tokens and rows there are come of one of these, by
 * {@link issue}; so what binds a token, how long it lives and what it says is decided in one place.
 */
export interface Issuance {
  readonly client: Client
  readonly whose: Whose
  /** The scopes that are granted now. */
  readonly scope: ReadonlyArray<string>
  /** The resources asked for now, which narrow the access token (RFC 8707 §2.2). */
  readonly resources: ReadonlyArray<string>
  /** The authorization details that the access token may have (RFC 9396 §6); undefined for all of the grant's. */
  readonly authorizationDetails?: ReadonlyArray<JsonObject> | undefined
  /** True if there is an access token: all but some response types have one. */
  readonly accessToken: boolean
  /** The content of a code, where one is given. */
  readonly code?: CodeContent | undefined
  /** The content of an ID token. One is given where the scope has `openid`, and its person signed in: not by an extension grant (OpenID Connect Core §2). */
  readonly idToken?: { readonly nonce: string | undefined } | undefined
  /** The step of the family of refresh tokens; none is given where undefined. */
  readonly family?: FamilyStep | undefined
  /** Commands committed with it: values it uses up, and rows that must still stand. */
  readonly changes: ReadonlyArray<Command>
}
