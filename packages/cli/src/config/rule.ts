import type { Finding, Path } from "./fault.ts"
import type { PagesTrial } from "./pages.ts"
import type { ConfigFile } from "./schema.ts"
import type { Surroundings } from "./surroundings.ts"

/** Values that the rules of a configuration look at. */
export interface Judged {
  readonly config: Partial<ConfigFile>
  readonly development: boolean
  /** True if every declared scope and resource is there to be looked at. */
  readonly scopesComplete: boolean
  /** True if every identity provider is there to be looked at. */
  readonly providersComplete: boolean
  /** Keys of an object of the configuration, by its path, of which something could not be read. */
  readonly lost: (path: Path) => ReadonlyArray<string>
  readonly around: Surroundings
  readonly pagesTrial: PagesTrial
}

/** One rule of a configuration, beyond the shape that its schema gives: every finding it has. */
export interface ConfigRule {
  readonly id: string
  readonly cites: string
  readonly check: (judged: Judged) => ReadonlyArray<Finding>
}

/** Makes a rule. */
export const configRule = (id: string, cites: string, check: ConfigRule["check"]): ConfigRule => ({ id, cites, check })

export { repeats } from "@postern/core/model"
