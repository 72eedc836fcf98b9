/**
 * A feature with a page of its own: people read the terms of an office and accept them. The page's model is declared with the feature; its template, words
 * and samples are given to the pages. Nothing else names it.
 */
import { pageDesign } from "@postern/adapter-http/pages"
import {
  type Form,
  type FormToken,
  type PersonFace,
  defineFeature,
  endpoint,
  formOf,
  fromOwnPages,
  go,
  insertedAs,
  mapped,
  page,
  pageKind,
  displayedPerson,
  personOf,
  prove,
  putting,
  rowKind,
  sentAsForm,
  sessionRules,
  show,
  signInFor,
  stale,
  table,
  tokenOfSession,
  together,
} from "@postern/core/features"

/** The model of the page: whatever a pages port draws it from. */
export interface Terms {
  readonly form: Form
  readonly person: PersonFace
  readonly text: string
  readonly accepted: boolean
}

/** The page. Its name begins with that of the feature. */
export const termsPage = pageKind<Terms>("terms")

/** An acceptance, kept by every store. */
export const acceptances = rowKind<{ readonly subject: string; readonly acceptedAt: number; readonly keepUntil: number }>(
  "terms_accepted",
  { subject: "text", acceptedAt: "integer", keepUntil: "integer" },
  {
    called: "an acceptance",
    key: ["subject"],
    keptUntil: "keepUntil",
    events: { AcceptTerms: insertedAs("accepted") },
    states: { accepted: [] },
  },
)

/** Ten years, in seconds. */
const kept = 315_360_000

const answerRules = table<FormToken & { readonly isForm: boolean; readonly decision: string | undefined }, ReturnType<typeof stale>>(
  "terms",
)
  .include(sentAsForm("terms.form"))
  .include(tokenOfSession("terms.csrf", "RFC 6749 §10.12"))
  .establish("terms.decision", "house rule 1", ({ decision }) => (decision === "accept" ? prove({ decision }) : stale("no decision")))

/** Makes the feature. */
export const terms = (text: string) =>
  defineFeature({
    name: "terms",
    pages: [termsPage],
    rows: [acceptances],
    endpoints: () => [
      endpoint(
        { name: "terms", path: "/terms", methods: ["GET", "POST"], audience: "people", cors: false },
        fromOwnPages
          .through(page)
          .read(({ browser }, inquiry) => mapped(personOf(browser, inquiry), (person) => ({ session: browser.session, person })))
          .judge(sessionRules, (_, s, inquiry) => signInFor("/terms", s, inquiry))
          .read(({ params, session: { subject } }, { ports }) =>
            together({ decision: params.one("decision"), before: ports.tokens.find(acceptances, { subject }) }),
          )
          .split(
            {
              read: (row) =>
                row.decide(({ browser, person, before }) => {
                  const model: Terms = {
                    form: formOf("/terms", browser),
                    person: displayedPerson(person),
                    text,
                    accepted: before !== undefined,
                  }
                  return show(termsPage.page(model), browser.cookies)
                }),
              accept: (row) =>
                row.judge(answerRules).decide(({ browser, session: { subject }, before, now }) => {
                  const acceptance = { subject, acceptedAt: now, keepUntil: now + kept }
                  return go("/terms", browser.cookies, before === undefined ? [putting(acceptances, "AcceptTerms", acceptance)] : [])
                }),
            },
            ({ posted }) => (posted ? "accept" : "read"),
          ),
      ),
    ],
  })

/** The look of the page: in the frame of the shipped ones, with its own words. */
export const termsDesign = pageDesign(termsPage, {
  template: `{% layout "layout" %}
{% block title %}{{ "terms.title" | t }}{% endblock %}
{% block content %}
<h1>{{ "terms.title" | t }}</h1>
<p class="lead">{{ "signed_in_as" | t_rich: person: person.name }}</p>
<p>{{ text }}</p>
{% if accepted %}<p id="terms-accepted">{{ "terms.accepted" | t }}</p>
{% else %}<form method="post" action="{{ form.action }}">
{% render "fields", form: form %}
<div class="actions"><button class="button button-main" id="terms-accept" name="decision" value="accept" type="submit">{{ "terms.accept" | t }}</button></div>
</form>{% endif %}
{% endblock %}`,
  words: {
    en: { "terms.title": "Terms of this office", "terms.accept": "Accept", "terms.accepted": "You have accepted these terms." },
    de: { "terms.title": "Hausordnung", "terms.accept": "Annehmen", "terms.accepted": "Sie haben diese Hausordnung angenommen." },
    fr: { "terms.title": "Règlement du bureau", "terms.accept": "Accepter", "terms.accepted": "Vous avez accepté ce règlement." },
    es: { "terms.title": "Normas de la oficina", "terms.accept": "Aceptar", "terms.accepted": "Ha aceptado estas normas." },
    pt: { "terms.title": "Regras do escritório", "terms.accept": "Aceitar", "terms.accepted": "Você aceitou estas regras." },
    ja: { "terms.title": "利用規則", "terms.accept": "同意する", "terms.accepted": "この規則に同意しました。" },
  },
  view: ({ form: own, person: shown, text, accepted }, { form, person }) => ({ form: form(own), person: person(shown), text, accepted }),
  samples: [false, true].map((accepted): Terms => ({
    form: { action: "/terms", hidden: [["csrf", "token"]] },
    person: { subject: "1", username: "alice", name: "Alice" },
    text: "Close the windows.",
    accepted,
  })),
})
