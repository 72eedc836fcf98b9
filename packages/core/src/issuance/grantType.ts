import { type Client, distinct } from "../model/index.ts"
import { refuseJson } from "../settle/programs.ts"
import { type Attempt, row } from "../settle/stage.ts"
import type { Params } from "../wire/index.ts"

/** The evidence that every row of a grant begins with. */
export interface GrantRequest {
  readonly params: Params
  /** The client that asks, authenticated, and allowed this grant_type. */
  readonly client: Client
}

/** A grant type: its name, and the row of stages that ends with an issuance. */
export interface Grant extends Attempt<GrantRequest> {
  readonly grantType: string
  /** Parameters that may come more than once, beside `resource`. */
  readonly repeatable: ReadonlyArray<string>
}

/** Makes a grant type of its row, which decides by {@link issueTokens}. */
export const grant = (grantType: string, { tables, attempt }: Attempt<GrantRequest>, repeatable: ReadonlyArray<string> = []): Grant => ({
  grantType,
  repeatable,
  tables,
  attempt,
})

/** Begins the row of a grant. */
export const grantRow = row<GrantRequest>(refuseJson).read(({ params }, { ports, now }) => ({
  settings: ports.settings,
  now,
  resources: distinct(params.all("resource")),
}))
