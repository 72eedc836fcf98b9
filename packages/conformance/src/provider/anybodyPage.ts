import { type PageDesign, pageDesign, sampleSignIn } from "@postern/adapter-http/pages"
import type { Page } from "@postern/core"
import { pageKind } from "@postern/core/features"

/** The page that people sign in on. */
export type SignInPage = Extract<Page, { readonly _tag: "Login" }>

/** The reason why typed claims are rejected: they are not a JSON object, or the person has configured claims. */
export type ClaimsProblem = "not_json" | "given"

/** The sign-in page with a field for the person's claims, for a provider where anybody may sign in. */
export interface AnybodyPage {
  readonly page: SignInPage
  /** The claims that were submitted before. */
  readonly claims: string
  readonly problem: ClaimsProblem | undefined
}

/** The page by its name. */
export const anybodyPage = pageKind<AnybodyPage>("anybody")

const template = `{% layout "layout" %}
{% block title %}{{ "login.title" | t }}{% endblock %}
{% block content %}
{% if client %}{% render "client", client: client %}{% endif %}
<h1>{{ "login.title" | t }}</h1>
<p class="lead">{% if client %}{{ "login.lead_client" | t_rich: client: client.name }}{% else %}{{ "login.lead_home" | t_rich: site: site.name }}{% endif %}</p>
{% if tenant %}<p class="tenant">{{ "login.tenant" | t_rich: tenant: tenant }}</p>{% endif %}
{% if problem %}<div class="note note-bad" role="alert" id="login-problem">{% render "sign-bad" %}<p>{{ problem }}</p></div>
{% elsif person %}<div class="note"><p>{{ "login.again" | t_rich: person: person.name }}</p></div>
{% else %}<div class="note"><p>{{ "anybody.welcome" | t }}</p></div>
{% endif %}
<form method="post" action="{{ form.action }}">
{% render "fields", form: form %}
<div class="field">
<label for="username">{{ "login.username" | t }}</label>
<input id="username" name="username" type="text" value="{{ username }}" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required maxlength="200"{% if username == "" %} autofocus{% endif %}{% if at_password %} aria-describedby="login-problem" aria-invalid="true"{% endif %}>
</div>
<div class="field">
<label for="password">{{ "anybody.password" | t }}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024"{% if at_password %} aria-describedby="login-problem" aria-invalid="true"{% endif %}>
</div>
<div class="field">
<label for="claims">{{ "anybody.claims" | t }}</label>
<textarea id="claims" name="claims" rows="4" maxlength="8192" autocapitalize="none" autocorrect="off" spellcheck="false" aria-describedby="{% if at_claims %}login-problem {% endif %}claims-hint"{% if at_claims %} aria-invalid="true" autofocus{% endif %}>{{ claims }}</textarea>
<p class="hint" id="claims-hint">{{ "anybody.claims_hint" | t }} <code>{&quot;email&quot;: &quot;ada@example.com&quot;}</code></p>
</div>
<button class="button button-main button-wide" id="login-submit" type="submit">{{ "login.submit" | t }}</button>
</form>
{% if another %}<p class="aside"><a id="another-account" href="{{ another }}">{{ "another_account" | t }}</a></p>{% endif %}
{% endblock %}
{% block after %}{% if client %}{% render "links", client: client %}{% endif %}{% endblock %}`

const words = {
  en: {
    "anybody.welcome": "This provider is for tests: you can sign in under any name.",
    "anybody.password": "Password (any, or none)",
    "anybody.claims": "Claims (optional)",
    "anybody.claims_hint": "A JSON object; the scopes of the request choose among its members.",
    "anybody.not_json": "The claims are not a JSON object. Correct them and try again.",
    "anybody.given": "This person's claims are set by the test. Leave the claims empty and enter the password.",
  },
  de: {
    "anybody.welcome": "Dieser Anbieter dient Tests: Sie können sich unter jedem Namen anmelden.",
    "anybody.password": "Passwort (beliebig oder keines)",
    "anybody.claims": "Claims (optional)",
    "anybody.claims_hint": "Ein JSON-Objekt; die Scopes der Anfrage wählen aus seinen Elementen aus.",
    "anybody.not_json": "Die Claims sind kein JSON-Objekt. Korrigieren Sie sie und versuchen Sie es erneut.",
    "anybody.given": "Die Claims dieser Person gibt der Test vor. Lassen Sie die Claims leer und geben Sie das Passwort ein.",
  },
  fr: {
    "anybody.welcome": "Ce fournisseur sert aux tests : vous pouvez vous connecter sous n’importe quel nom.",
    "anybody.password": "Mot de passe (quelconque, ou aucun)",
    "anybody.claims": "Claims (facultatif)",
    "anybody.claims_hint": "Un objet JSON ; les scopes de la demande choisissent parmi ses membres.",
    "anybody.not_json": "Les claims ne sont pas un objet JSON. Corrigez-les et réessayez.",
    "anybody.given": "Les claims de cette personne sont fixés par le test. Laissez les claims vides et saisissez le mot de passe.",
  },
  es: {
    "anybody.welcome": "Este proveedor es para pruebas: puede iniciar sesión con cualquier nombre.",
    "anybody.password": "Contraseña (cualquiera o ninguna)",
    "anybody.claims": "Claims (opcional)",
    "anybody.claims_hint": "Un objeto JSON; los scopes de la solicitud eligen entre sus miembros.",
    "anybody.not_json": "Los claims no son un objeto JSON. Corríjalos y vuelva a intentarlo.",
    "anybody.given": "La prueba fija los claims de esta persona. Deje los claims vacíos e introduzca la contraseña.",
  },
  pt: {
    "anybody.welcome": "Este provedor é para testes: você pode entrar com qualquer nome.",
    "anybody.password": "Senha (qualquer uma ou nenhuma)",
    "anybody.claims": "Claims (opcional)",
    "anybody.claims_hint": "Um objeto JSON; os scopes do pedido escolhem entre os seus membros.",
    "anybody.not_json": "Os claims não são um objeto JSON. Corrija-os e tente novamente.",
    "anybody.given": "Os claims desta pessoa são definidos pelo teste. Deixe os claims vazios e digite a senha.",
  },
  ja: {
    "anybody.welcome": "これはテスト用のプロバイダーです。どの名前でもサインインできます。",
    "anybody.password": "パスワード（任意、空でも可）",
    "anybody.claims": "クレーム（任意）",
    "anybody.claims_hint": "JSON オブジェクト。リクエストのスコープがその中から選びます。",
    "anybody.not_json": "クレームが JSON オブジェクトではありません。修正してもう一度お試しください。",
    "anybody.given": "このユーザーのクレームはテストで設定されています。クレームを空にしてパスワードを入力してください。",
  },
}

/** The design of the page. */
export const anybodyDesign: PageDesign = pageDesign(anybodyPage, {
  template,
  words,
  view: ({ page, claims, problem }, { language, form, client, person }) => {
    const { username, tenant = null, another = null } = page
    const wait = page.retryAfter
    const told = (key: NonNullable<SignInPage["problem"]>): string =>
      key === "throttled" && wait !== undefined
        ? language.say("login.problem.throttled_wait", { wait: language.span(wait) })
        : language.say(`login.problem.${key}`, { provider: language.say("login.provider_unnamed") })
    const own = problem !== undefined && page.problem === "credentials"
    return {
      form: form(page.form),
      client: page.client === undefined ? null : client(page.client),
      person: page.person === undefined ? null : person(page.person),
      username,
      tenant,
      another,
      claims,
      problem: own ? language.say(`anybody.${problem}`) : page.problem === undefined ? null : told(page.problem),
      at_claims: own,
      at_password: page.problem === "credentials" && !own,
    }
  },
  samples: [
    { page: sampleSignIn, claims: "", problem: undefined },
    { page: { ...sampleSignIn, username: "ada", problem: "credentials", tenant: "acme" }, claims: "{", problem: "not_json" },
    { page: { ...sampleSignIn, username: "ada", problem: "credentials" }, claims: "{}", problem: "given" },
    { page: { ...sampleSignIn, username: "ada", problem: "throttled", retryAfter: 30 }, claims: "", problem: undefined },
    {
      page: { ...sampleSignIn, person: { subject: "ada", username: "ada", name: "Ada" }, another: "/login?another=1" },
      claims: "",
      problem: undefined,
    },
  ],
})
