import type { ClientMetadata, RegistrationSeen } from "@postern/core"

/** A registration shown at work: metadata, and the faults it must have, as `path: reason`. */
export interface RegistrationCase {
  readonly title: string
  readonly rule: string | undefined
  readonly client: ClientMetadata
  readonly seen?: Partial<RegistrationSeen>
  readonly faults: ReadonlyArray<string>
}
