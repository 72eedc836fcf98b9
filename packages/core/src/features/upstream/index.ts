import * as Effect from "effect/Effect"
import type { Decision } from "../../model/index.ts"
import { browserRules } from "../../rules/browser.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { toPage } from "../../rules/page.ts"
import { providerRules } from "../../rules/provider.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { askedBy } from "../../settle/asked.ts"
import { loadBrowser, loadInteraction } from "../../settle/browser.ts"
import { againOf } from "../../settle/signIn.ts"
import { begin } from "../../settle/upstream.ts"
import { isForm, paramsOf, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

interface ChoiceForm {
  readonly isForm: boolean
  readonly csrf: string | undefined
  readonly provider: string | undefined
}

/** How the choice of another provider must look. */
const choiceRules = table<ChoiceForm, { readonly csrf: string }, Objection>("upstream/choice", [
  rule("upstream.form", "RFC 6749 appendix B", (q) => (q.isForm ? pass : { reason: "another Content-Type than a form's" })),
  rule("upstream.csrf", "RFC 9700 §4.7", (q, s) =>
    q.csrf === s.csrf ? pass : { reason: q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser" },
  ),
  rule("upstream.provider-present", "specification §1", (q) => (q.provider === undefined ? { reason: "no provider was chosen" } : pass)),
])

/** The tables of this endpoint, for the rule reference. */
export const choiceTables = [choiceRules] as const

/** What the sign-in page posts when a person chooses to sign in at another provider. */
export const upstream: Endpoint = {
  name: "login-upstream",
  path: "/login/upstream",
  methods: ["POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { ports, now, trace } = inquiry
    const params = readParams(message.body)
    const browser = yield* loadBrowser(message, inquiry)
    const handle = params.one("interaction")
    const interaction = yield* loadInteraction(handle, inquiry)
    const again: Decision = { _tag: "Go", to: againOf(handle, "form_stale"), cookies: [], commands: [] }
    if (judge(trace, browserRules, { browser }) !== undefined) return again
    inquiry.about.clientId = interaction?.clientId
    inquiry.about.uiLocales = paramsOf(interaction?.params ?? []).one("ui_locales")
    if (handle !== undefined) {
      const gone = judge(trace, interactionRules, { now, interaction, browser })
      if (gone !== undefined) return toPage(gone)
    }
    const client = interaction === undefined ? undefined : yield* ports.clients.find(interaction.clientId)
    askedBy(interaction, client, inquiry)
    const q: ChoiceForm = {
      isForm: isForm(message.headers["content-type"]),
      csrf: params.one("csrf"),
      provider: params.one("provider"),
    }
    if (judge(trace, choiceRules, q, { csrf: browser.csrf }) !== undefined) return again
    const { settings } = ports
    const provider = held(q.provider)
    if (judge(trace, providerRules, { provider, settings, client }) !== undefined) return again
    return yield* begin(
      provider,
      { settings, now, browser, interaction, handle, client, another: params.one("another") !== undefined },
      inquiry,
    )
  }),
}
