import { cibaAnsweredPage, cibaApprovalPage } from "@postern/core"
import type { Answered, Approval } from "@postern/core"
import { type PageDesign, pageDesign } from "./design.ts"
import { details } from "./sampleParts.ts"

const approvalTemplate = `{% layout "layout" %}
{% block title %}{{ "ciba.title" | t: client: client.name }}{% endblock %}
{% block content %}
{% render "client", client: client %}
{% render "client-state", client: client %}<h1>{{ "ciba.title" | t_rich: client: client.name }}</h1>
<p class="lead">{{ "signed_in_as" | t_rich: person: person.name }}{% if person.name != person.username %} <span class="quiet">(<bdi>{{ person.username }}</bdi>)</span>{% endif %}<br>
<a id="another-account" href="{{ another }}">{{ "another_account" | t }}</a></p>
{% if message %}<p class="user-code-check">{{ "ciba.check" | t_rich: client: client.name }}</p>
<p class="binding-message" id="binding-message"><bdi>{{ message }}</bdi></p>
{% endif %}
<div class="note"><p>{{ "ciba.warning" | t }}</p></div>
<form method="post" action="{{ form.action }}">
{% render "fields", form: form %}
{% if details %}<fieldset class="scopes">
<legend>{{ "consent.details" | t }}</legend>
<ul>
{% for detail in details %}<li class="scope detail"><span class="scope-fixed">{% render "sign-good" %}</span>
<div class="scope-words"><span class="scope-title">{{ detail.title }}</span>
{% render "detail", detail: detail %}</div></li>
{% endfor %}</ul>
</fieldset>
{% endif %}<fieldset class="scopes">
<legend>{{ "consent.scopes" | t }}</legend>
<ul>
{% for scope in scopes %}<li class="scope"><span class="scope-fixed">{% render "sign-good" %}</span>
<div class="scope-words"><span class="scope-title">{{ scope.title }}</span>
{% if scope.description %}<span class="scope-about">{{ scope.description }}</span>{% endif %}{% if scope.resources %}<span class="scope-about">{{ "consent.resources" | t: resources: scope.resources }}</span>{% endif %}</div></li>
{% endfor %}</ul>
</fieldset>
<div class="actions">
<button class="button" id="approval-deny" name="decision" value="deny" type="submit">{{ "ciba.deny" | t }}</button>
<button class="button button-main" id="approval-allow" name="decision" value="allow" type="submit">{{ "ciba.allow" | t }}</button>
</div>
</form>
{% endblock %}
{% block after %}{% render "links", client: client %}{% endblock %}`

const approvalWords = {
  en: {
    "ciba.title": "Allow {client} to continue?",
    "ciba.check": "Check that {client} shows you this message:",
    "ciba.warning": "Allow this only if you started it yourself, or expect it. Whoever asked will be able to use your account.",
    "ciba.allow": "Allow",
    "ciba.deny": "Don’t allow",
  },
  de: {
    "ciba.title": "{client} fortfahren lassen?",
    "ciba.check": "Prüfen Sie, ob {client} Ihnen diese Nachricht zeigt:",
    "ciba.warning":
      "Erlauben Sie dies nur, wenn Sie es selbst begonnen haben oder erwarten. Wer gefragt hat, kann dann Ihr Konto benutzen.",
    "ciba.allow": "Erlauben",
    "ciba.deny": "Nicht erlauben",
  },
  fr: {
    "ciba.title": "Autoriser {client} à continuer ?",
    "ciba.check": "Vérifiez que {client} vous montre ce message :",
    "ciba.warning":
      "N’autorisez que si vous l’avez lancé vous-même ou si vous vous y attendez. L’auteur de la demande pourra utiliser votre compte.",
    "ciba.allow": "Autoriser",
    "ciba.deny": "Ne pas autoriser",
  },
  es: {
    "ciba.title": "¿Permitir que {client} continúe?",
    "ciba.check": "Compruebe que {client} le muestra este mensaje:",
    "ciba.warning": "Permítalo solo si lo inició usted mismo o lo espera. Quien lo solicitó podrá usar su cuenta.",
    "ciba.allow": "Permitir",
    "ciba.deny": "No permitir",
  },
  pt: {
    "ciba.title": "Permitir que {client} continue?",
    "ciba.check": "Confira se {client} mostra esta mensagem:",
    "ciba.warning": "Permita apenas se você mesmo iniciou ou espera este pedido. Quem pediu poderá usar a sua conta.",
    "ciba.allow": "Permitir",
    "ciba.deny": "Não permitir",
  },
  ja: {
    "ciba.title": "{client} の続行を許可しますか？",
    "ciba.check": "{client} に次のメッセージが表示されていることを確認してください。",
    "ciba.warning":
      "ご自身で始めた場合、または心当たりがある場合にのみ許可してください。要求した人はあなたのアカウントを使えるようになります。",
    "ciba.allow": "許可する",
    "ciba.deny": "許可しない",
  },
}

const sampleForm = { action: "/approve", hidden: [["csrf", "token"] as const, ["request", "0123456789abcdef"] as const] }

const sample: Approval = {
  form: sampleForm,
  client: { clientId: "till", name: "Corner shop", uri: undefined, logoUri: undefined, policyUri: undefined, tosUri: undefined },
  person: { subject: "ada", username: "ada", name: "Ada Lovelace", zone: undefined },
  bindingMessage: "W4SCT, 12.50 EUR",
  scopes: [{ name: "openid", kind: "identity", required: true, title: undefined, description: undefined, resources: [] }],
  askedAt: 1_790_000_000,
  another: "/approve?request=0123456789abcdef&another=1",
}

const approvalDesign: PageDesign = pageDesign(cibaApprovalPage, {
  template: approvalTemplate,
  words: approvalWords,
  view: ({ bindingMessage = null, another, ...page }, { form, client, person, scope, details }) => ({
    form: form(page.form),
    client: client(page.client),
    person: person(page.person),
    message: bindingMessage,
    scopes: page.scopes.map(scope),
    details: details(page.details),
    another,
  }),
  samples: [
    sample,
    { ...sample, bindingMessage: "x".repeat(100) },
    { ...sample, details: details.slice(0, 1) },
    { ...sample, bindingMessage: undefined, person: { ...sample.person, name: "ada" } },
  ],
})

const doneTemplate = `{% layout "layout" %}
{% block title %}{{ title }}{% endblock %}
{% block content %}
{% if outcome != "none" %}<span class="tile tile-{% if outcome == "approved" %}good{% else %}bad{% endif %}">{% if outcome == "approved" %}{% render "sign-good" %}{% else %}{% render "sign-bad" %}{% endif %}</span>
{% endif %}<h1 id="approval-{{ outcome }}">{{ title }}</h1>
<p class="lead">{{ text }}</p>
{% if next %}<p class="actions"><a class="button button-main" id="approval-next" href="{{ next }}">{{ "ciba-done.next" | t }}</a></p>{% endif %}
{% endblock %}`

const doneWords = {
  en: {
    "ciba-done.approved.title": "You allowed the request",
    "ciba-done.approved.text": "Go back to {client}. You can close this window.",
    "ciba-done.denied.title": "You didn’t allow the request",
    "ciba-done.denied.text": "{client} has no access to your account. You can close this window.",
    "ciba-done.none.title": "Nothing is waiting for you",
    "ciba-done.none.text": "The request was answered or has expired. You can close this window.",
    "ciba-done.next": "Next request",
  },
  de: {
    "ciba-done.approved.title": "Sie haben die Anfrage erlaubt",
    "ciba-done.approved.text": "Gehen Sie zurück zu {client}. Sie können dieses Fenster schließen.",
    "ciba-done.denied.title": "Sie haben die Anfrage nicht erlaubt",
    "ciba-done.denied.text": "{client} hat keinen Zugriff auf Ihr Konto. Sie können dieses Fenster schließen.",
    "ciba-done.none.title": "Es wartet nichts auf Sie",
    "ciba-done.none.text": "Die Anfrage wurde beantwortet oder ist abgelaufen. Sie können dieses Fenster schließen.",
    "ciba-done.next": "Nächste Anfrage",
  },
  fr: {
    "ciba-done.approved.title": "Vous avez autorisé la demande",
    "ciba-done.approved.text": "Revenez à {client}. Vous pouvez fermer cette fenêtre.",
    "ciba-done.denied.title": "Vous n’avez pas autorisé la demande",
    "ciba-done.denied.text": "{client} n’a pas accès à votre compte. Vous pouvez fermer cette fenêtre.",
    "ciba-done.none.title": "Aucune demande ne vous attend",
    "ciba-done.none.text": "La demande a reçu une réponse ou a expiré. Vous pouvez fermer cette fenêtre.",
    "ciba-done.next": "Demande suivante",
  },
  es: {
    "ciba-done.approved.title": "Ha permitido la solicitud",
    "ciba-done.approved.text": "Vuelva a {client}. Puede cerrar esta ventana.",
    "ciba-done.denied.title": "No ha permitido la solicitud",
    "ciba-done.denied.text": "{client} no tiene acceso a su cuenta. Puede cerrar esta ventana.",
    "ciba-done.none.title": "No hay nada pendiente",
    "ciba-done.none.text": "La solicitud ya se respondió o ha caducado. Puede cerrar esta ventana.",
    "ciba-done.next": "Siguiente solicitud",
  },
  pt: {
    "ciba-done.approved.title": "Você permitiu o pedido",
    "ciba-done.approved.text": "Volte para {client}. Você pode fechar esta janela.",
    "ciba-done.denied.title": "Você não permitiu o pedido",
    "ciba-done.denied.text": "{client} não tem acesso à sua conta. Você pode fechar esta janela.",
    "ciba-done.none.title": "Não há nada à sua espera",
    "ciba-done.none.text": "O pedido foi respondido ou expirou. Você pode fechar esta janela.",
    "ciba-done.next": "Próximo pedido",
  },
  ja: {
    "ciba-done.approved.title": "要求を許可しました",
    "ciba-done.approved.text": "{client} に戻ってください。このウィンドウは閉じてかまいません。",
    "ciba-done.denied.title": "要求を許可しませんでした",
    "ciba-done.denied.text": "{client} はあなたのアカウントにアクセスできません。このウィンドウは閉じてかまいません。",
    "ciba-done.none.title": "待っている要求はありません",
    "ciba-done.none.text": "要求はすでに処理されたか、期限が切れました。このウィンドウは閉じてかまいません。",
    "ciba-done.next": "次の要求",
  },
}

const answeredSamples: ReadonlyArray<Answered> = [
  { outcome: "approved", client: sample.client, next: undefined },
  { outcome: "denied", client: sample.client, next: "/approve?request=0123456789abcdef" },
  { outcome: "none", client: undefined, next: undefined },
]

const answeredDesign: PageDesign = pageDesign(cibaAnsweredPage, {
  template: doneTemplate,
  words: doneWords,
  view: ({ outcome, client, next = null }, { language }) => ({
    outcome,
    title: language.say(`ciba-done.${outcome}.title`),
    text: language.say(`ciba-done.${outcome}.text`, client === undefined ? {} : { client: client.name }),
    next,
  }),
  samples: answeredSamples,
})

/** The designs of the `ciba` pages, for `liquidPages({ pages: cibaDesigns })`, in six languages and without JavaScript. */
export const cibaDesigns: ReadonlyArray<PageDesign> = [approvalDesign, answeredDesign]
