import type { Finding, Path } from "./fault.ts"
import type { PagesTrial } from "./pages.ts"
import type { ConfigFile } from "./schema.ts"
import type { Surroundings } from "./surroundings.ts"

/** The input of configuration rules. */
export interface Judged {
  readonly config: Partial<ConfigFile>
  readonly development: boolean
  /** True if every declared scope and resource could be decoded. */
  readonly scopesComplete: boolean
  /** True if every identity provider could be decoded. */
  readonly providersComplete: boolean
  /** Returns the keys of an object, given by its path, whose values could not be decoded completely. */
  readonly lost: (path: Path) => ReadonlyArray<string>
  readonly around: Surroundings
  readonly pagesTrial: PagesTrial
}

/** A rule that the schema can't express, with a check that returns all its findings. */
export interface ConfigRule {
  readonly id: string
  readonly cites: string
  readonly check: (judged: Judged) => ReadonlyArray<Finding>
}

/** Makes a rule. */
export const configRule = (id: string, cites: string, check: ConfigRule["check"]): ConfigRule => ({ id, cites, check })

export { repeats } from "@postern/core/model"
