import type { ConsentScope, DrawnPage, Form, Page, PageContext, PagesPort } from "@postern/core"

/** Markup, as opposed to a text that has to be escaped. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | undefined | ReadonlyArray<Markup>

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const written = (part: Part): string => {
  if (part instanceof Markup) return part.text
  if (typeof part === "object") return part.map(({ text }) => text).join("")
  return part === undefined ? "" : escaped(part)
}

/** Escapes whatever is put into a template, unless it was made by one. */
const html = ({ raw }: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(raw.map((text, at) => text + written(parts[at])).join(""))

const nothing = html``

/** A form with the fields that the provider needs back. */
const formOf = ({ action, hidden }: Form, { basePath }: PageContext, content: Markup, method = "post"): Markup =>
  html` <form method="${method}" action="${basePath + action}">
    ${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)} ${content}
  </form>`

const scopeOf = ({ name, title, required }: ConsentScope): Markup =>
  html` <label
      ><input type="checkbox" name="scope" value="${name}" checked ${required ? html`disabled` : nothing} /> ${title ?? name}</label
    >
    ${required ? html`<input type="hidden" name="scope" value="${name}" />` : nothing}`

const decide = (allow: string, deny: string): Markup =>
  html` <button name="decision" value="allow" id="${allow}">Allow</button> <button name="decision" value="deny" id="${deny}">Deny</button>`

/** The title and content of each page. */
const contentOf = (page: Page, context: PageContext): readonly [title: string, content: Markup] => {
  switch (page._tag) {
    case "Login":
      return [
        "Sign in",
        html` ${page.client === undefined ? nothing : html`<p>to go on to ${page.client.name}</p>`}
        ${page.problem === undefined ? nothing : html`<p role="alert">That did not work: ${page.problem.replaceAll("_", " ")}.</p>`}
        ${
          page.local
            ? formOf(
                page.form,
                context,
                html`<label>Username <input name="username" autocomplete="username" value="${page.username}" /></label>
                  <label>Password <input name="password" type="password" autocomplete="current-password" /></label>
                  <button id="login-submit">Sign in</button>`,
              )
            : nothing
        }
        ${page.providers.map(({ form, displayName }) => formOf(form, context, html`<button>Go on with ${displayName}</button>`))}`,
      ]
    case "Consent":
      return [
        `Allow ${page.client.name}?`,
        formOf(
          page.form,
          context,
          html`<p>${page.person.name}, it asks for:</p>
            ${page.scopes.map(scopeOf)} ${decide("consent-allow", "consent-deny")}`,
        ),
      ]
    case "Home":
      return [
        page.person.name,
        html` ${page.sessions.map(({ id, agent }) =>
          formOf(page.endSession, context, html`<input type="hidden" name="session" value="${id}" />${agent} <button>End</button>`),
        )}
        ${page.consents.map(({ client }) =>
          formOf(
            page.withdrawConsent,
            context,
            html`<input type="hidden" name="client_id" value="${client.clientId}" />${client.name} <button>Withdraw</button>`,
          ),
        )}
        ${formOf(page.logout, context, html`<button id="logout-confirm">Sign out</button>`)}`,
      ]
    case "DeviceCode":
    case "DeviceQr":
      return [
        "Your device",
        formOf(
          page.form,
          context,
          html`<label>Code <input name="user_code" value="${page.userCode}" /></label> <button>Continue</button>`,
          "get",
        ),
      ]
    case "DeviceConfirm":
      return [
        `Let ${page.client.name} in?`,
        formOf(
          page.form,
          context,
          html`<p>Your device shows ${page.userCode}.</p>
            ${decide("device-allow", "device-deny")}`,
        ),
      ]
    case "DeviceDone":
      return [page.approved ? "Your device is signed in" : "Your device is not signed in", html`<p>You can close this page.</p>`]
    case "Logout":
      return ["Sign out?", formOf(page.form, context, html`<button id="logout-confirm">Sign out</button>`)]
    case "SignedOut":
      return ["You are signed out", html`<p id="logged-out">You can close this page.</p>`]
    case "SigningOut":
      return [
        "You are signed out",
        html`<p id="logged-out">${page.onward === undefined ? "You can close this page." : html`<a href="${page.onward}">Continue</a>`}</p>
          ${page.frames.map((frame) => html`<iframe src="${frame}" sandbox="allow-same-origin allow-scripts" hidden></iframe>`)}`,
      ]
    case "Error":
      return [
        "That did not work",
        html`<p id="op-error">${page.trouble.replaceAll("_", " ")}</p>
          <p>Reference: <code id="request-id">${context.requestId}</code></p>`,
      ]
    case "FormPost":
      return [
        `Back to ${page.clientName}`,
        html`<form method="post" action="${page.action}" id="form-post">
            ${page.fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
            <button>Continue</button>
          </form>
          <script nonce="${context.nonce}">
            document.getElementById("form-post").submit()
          </script>`,
      ]
    case "Feature":
      // A feature's page is drawn from `modelOf(page)` of its kind; this provider has none.
      throw new Error(`there is no page ${page.name}`)
  }
}

const render = (page: Page, context: PageContext): DrawnPage => {
  const [title, content] = contentOf(page, context)
  return html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title}</title>
      <style nonce="${context.nonce}">
        body {
          font: 1.1rem/1.6 system-ui;
          max-width: 26rem;
          margin: 4rem auto;
          padding: 0 1rem;
        }
        label,
        button {
          display: block;
          margin: 0.8rem 0;
        }
      </style>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </html>`.text
}

/** Pages by template strings: everything is escaped but what `html` has made. */
export const pages: PagesPort = { render, draws: () => false }
