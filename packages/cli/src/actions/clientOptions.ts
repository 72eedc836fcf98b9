import { compose } from "@postern/core"
import type { FieldOption } from "@postern/core/model"

/** An option of `postern client add`, with the field of client metadata that it states. */
export interface ClientOption extends FieldOption {
  readonly field: string
}

/** The options of `postern client add`, in the order of the features that declare them. */
export const clientOptions: ReadonlyArray<ClientOption> = compose().clientMetadata.flatMap(({ name, options = [] }) =>
  options.map((each) => ({ ...each, field: name })),
)
