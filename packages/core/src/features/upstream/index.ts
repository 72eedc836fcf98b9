import { type Objection, pass, table } from "../../rules/rule.ts"
import { providerRules } from "../../rules/provider.ts"
import { endpoint } from "../../settle/endpoint.ts"
import { formIsStale, signInPage } from "../../settle/signInPage.ts"
import { begin } from "../../settle/upstream.ts"

interface ChoiceForm {
  readonly isForm: boolean
  readonly csrf: string | undefined
  readonly browser: { readonly csrf: string }
  readonly provider: string | undefined
}

/** Judges the choice of another provider. */
const choiceRules = table<ChoiceForm, Objection>("upstream/choice")
  .rule("upstream.form", "RFC 6749 appendix B", ({ isForm }) => (isForm ? pass : { reason: "another Content-Type than a form's" }))
  .rule("upstream.csrf", "RFC 9700 §4.7", ({ csrf, browser }) =>
    csrf === browser.csrf ? pass : { reason: csrf === undefined ? "no CSRF token" : "a CSRF token of another browser" },
  )
  .present("upstream.provider-present", "specification §1", "provider", () => ({ reason: "no provider was chosen" }))

/** Redirects a person to the provider that they chose on the sign-in page. */
export const upstream = endpoint(
  { name: "login-upstream", path: "/login/upstream", methods: ["POST"], audience: "people", cors: false },
  signInPage
    .read(({ params }) => ({ provider: params.one("provider") }))
    .judge(choiceRules, formIsStale)
    .judge(providerRules, formIsStale)
    .decide(begin),
)
