import { frozen } from "./frozen.ts"

/** Rich authorization requests. */
export const rfc9396 = frozen(
  "rfc9396",
  "Rich authorization requests (RFC 9396)",
  `
    details.types details.granted details.with-scope details.pushed details.pushed-wrong details.jwt details.introspection details.available
    details.not-unasked details.consent details.not-json details.no-list details.no-object details.no-type details.type-number
    details.type-unknown details.second-unknown details.field-unknown details.field-wrong details.type-of-others details.narrower
    details.wider details.other-type details.refresh-narrower details.refresh-wider details.refresh-same
  `,
)
