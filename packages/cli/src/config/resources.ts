import * as Schema from "effect/Schema"
import { ScopeName } from "@postern/core/model"
import { absent, type Described, line, printable, section, text } from "./described.ts"

const words = {
  title: [absent(text(200)), "The name on the consent page."],
  description: [absent(text(1000)), "The description on the consent page."],
  required: [absent(Schema.Boolean), "Prevents the user from unticking the scope on the consent page. Default: false."],
} satisfies Described

const ResourceScope = section("ResourceScope", "A scope of a protected resource.", {
  name: [ScopeName, "The scope as clients ask for it."],
  ...words,
})

/** A protected resource. */
export const Resource = section("Resource", "An API that accepts access tokens, with the scopes it owns.", {
  identifier: [printable(200), "The audience of its access tokens, and the value of `resource` (RFC 8707): usually its URL."],
  title: [absent(text(200)), "The name on the consent page."],
  scopes: [
    Schema.Array(Schema.Union([ScopeName, ResourceScope]).annotate({ expected: 'a scope name, or { "name": … }' })),
    "The scopes it understands: names, or objects with texts for the consent page.",
  ],
  metadata: [
    absent(Schema.Record(Schema.String, Schema.Json)),
    "Serves the metadata of the resource (RFC 9728), with further members such as `resource_documentation`; `{}` for none. Default: not served.",
  ],
  listed: [
    absent(Schema.Boolean),
    "Names the resource in the `protected_resources` of discovery (RFC 9728 §4). Default: as `metadata` is given.",
  ],
  signed: [
    absent(Schema.Boolean),
    "Signs its `metadata` too, as `signed_metadata` (RFC 9728 §2.2). Each request costs a signature. Default: false.",
  ],
})

/** An identity scope besides the standard ones. */
export const IdentityScope = section("IdentityScope", "A name for a set of claims about a person (OpenID Connect Core §5.4).", {
  name: [ScopeName, "The scope as clients ask for it."],
  claims: [Schema.Array(line(200)), "The claims about a person that it releases."],
  ...words,
})
