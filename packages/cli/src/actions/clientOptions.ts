import { compose } from "@postern/core"
import type { FieldOption } from "@postern/core/model"

/** An option of `postern client add`, with the client metadata field that it sets. */
export interface ClientOption extends FieldOption {
  readonly field: string
}

/** The options of `postern client add`, in the order in which features declare them. */
export const clientOptions: ReadonlyArray<ClientOption> = compose().clientMetadata.flatMap(({ name, options = [] }) =>
  options.map((each) => ({ ...each, field: name })),
)
