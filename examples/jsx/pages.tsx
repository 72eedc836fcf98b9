import type { ConsentScope, DrawnPage, Form, Page, PageContext, PagesPort } from "@postern/core"
import type { FC, PropsWithChildren } from "hono/jsx"
import { renderToReadableStream } from "hono/jsx/streaming"

type Of<Tag extends Page["_tag"]> = { readonly page: Extract<Page, { _tag: Tag }>; readonly context: PageContext }

/** A form with the fields that the provider needs back. */
const Post: FC<PropsWithChildren<{ form: Form; context: PageContext; method?: "get" | "post" }>> = ({
  form,
  context,
  method = "post",
  children,
}) => (
  <form method={method} action={context.basePath + form.action}>
    {form.hidden.map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {children}
  </form>
)

const Login: FC<Of<"Login">> = ({ page, context }) => (
  <>
    {page.client && <p>to go on to {page.client.name}</p>}
    {page.problem && <p role="alert">That did not work: {page.problem.replaceAll("_", " ")}.</p>}
    {page.local && (
      <Post form={page.form} context={context}>
        <label>
          Username <input name="username" autocomplete="username" value={page.username} />
        </label>
        <label>
          Password <input name="password" type="password" autocomplete="current-password" />
        </label>
        <button id="login-submit">Sign in</button>
      </Post>
    )}
    {page.providers.map(({ form, displayName }) => (
      <Post form={form} context={context}>
        <button>Go on with {displayName}</button>
      </Post>
    ))}
  </>
)

const Scope: FC<{ scope: ConsentScope }> = ({ scope: { name, title, required } }) => (
  <>
    <label>
      <input type="checkbox" name="scope" value={name} checked disabled={required} /> {title ?? name}
    </label>
    {required && <input type="hidden" name="scope" value={name} />}
  </>
)

const Decide: FC<{ of: "consent" | "device" }> = ({ of }) => (
  <>
    <button name="decision" value="allow" id={`${of}-allow`}>
      Allow
    </button>
    <button name="decision" value="deny" id={`${of}-deny`}>
      Deny
    </button>
  </>
)

const Consent: FC<Of<"Consent">> = ({ page, context }) => (
  <Post form={page.form} context={context}>
    <p>{page.person.name}, it asks for:</p>
    {page.scopes.map((scope) => (
      <Scope scope={scope} />
    ))}
    <Decide of="consent" />
  </Post>
)

const Home: FC<Of<"Home">> = ({ page, context }) => (
  <>
    {page.sessions.map(({ id, agent }) => (
      <Post form={page.endSession} context={context}>
        <input type="hidden" name="session" value={id} />
        {agent} <button>End</button>
      </Post>
    ))}
    {page.consents.map(({ client }) => (
      <Post form={page.withdrawConsent} context={context}>
        <input type="hidden" name="client_id" value={client.clientId} />
        {client.name} <button>Withdraw</button>
      </Post>
    ))}
    <Post form={page.logout} context={context}>
      <button id="logout-confirm">Sign out</button>
    </Post>
  </>
)

const FormPost: FC<Of<"FormPost">> = ({ page, context }) => (
  <>
    <form method="post" action={page.action} id="form-post">
      {page.fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button>Continue</button>
    </form>
    <script nonce={context.nonce} dangerouslySetInnerHTML={{ __html: 'document.getElementById("form-post").submit()' }} />
  </>
)

const titleOf = (page: Page): string => {
  switch (page._tag) {
    case "Login":
      return "Sign in"
    case "Consent":
      return `Allow ${page.client.name}?`
    case "Home":
      return page.person.name
    case "DeviceConfirm":
      return `Let ${page.client.name} in?`
    case "DeviceDone":
      return page.approved ? "Your device is signed in" : "Your device is not signed in"
    case "DeviceCode":
    case "DeviceQr":
      return "Your device"
    case "Logout":
      return "Sign out?"
    case "SignedOut":
    case "SigningOut":
      return "You are signed out"
    case "FormPost":
      return `Back to ${page.clientName}`
    case "Error":
    case "Feature":
      return "That did not work"
  }
}

const Content: FC<{ page: Page; context: PageContext }> = ({ page, context }) => {
  switch (page._tag) {
    case "Login":
      return <Login page={page} context={context} />
    case "Consent":
      return <Consent page={page} context={context} />
    case "Home":
      return <Home page={page} context={context} />
    case "FormPost":
      return <FormPost page={page} context={context} />
    case "DeviceCode":
    case "DeviceQr":
      return (
        <Post form={page.form} context={context} method="get">
          <label>
            Code <input name="user_code" value={page.userCode} />
          </label>
          <button>Continue</button>
        </Post>
      )
    case "DeviceConfirm":
      return (
        <Post form={page.form} context={context}>
          <p>Your device shows {page.userCode}.</p>
          <Decide of="device" />
        </Post>
      )
    case "Logout":
      return (
        <Post form={page.form} context={context}>
          <button id="logout-confirm">Sign out</button>
        </Post>
      )
    case "DeviceDone":
      return <p>You can close this page.</p>
    case "SignedOut":
      return <p id="logged-out">You can close this page.</p>
    case "SigningOut":
      return (
        <>
          <p id="logged-out">{page.onward === undefined ? "You can close this page." : <a href={page.onward}>Continue</a>}</p>
          {page.frames.map((frame) => (
            <iframe src={frame} sandbox="allow-same-origin allow-scripts" hidden />
          ))}
        </>
      )
    case "Error":
      return (
        <>
          <p id="op-error">{page.trouble.replaceAll("_", " ")}</p>
          <p>
            Reference: <code id="request-id">{context.requestId}</code>
          </p>
        </>
      )
    case "Feature":
      // A feature's page is drawn from `modelOf(page)` of its kind; this provider has none.
      throw new Error(`there is no page ${page.name}`)
  }
}

const styles = `
  body { font: 1.1rem/1.6 system-ui; max-width: 26rem; margin: 4rem auto; padding: 0 1rem }
  label, button { display: block; margin: 0.8rem 0 }`

/** A component may be asynchronous: what it waits for is in the stream. */
const Frame: FC<{ page: Page; context: PageContext }> = async ({ page, context }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>{titleOf(page)}</title>
      <style nonce={context.nonce} dangerouslySetInnerHTML={{ __html: styles }} />
    </head>
    <body>
      <main>
        <h1>{titleOf(page)}</h1>
        <Content page={page} context={context} />
      </main>
    </body>
  </html>
)

/** The document type, which JSX has no word for, and then the rest as it comes. */
async function* stream(content: ReadableStream<Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield "<!doctype html>"
  yield* content
}

const render = (page: Page, context: PageContext): DrawnPage =>
  stream(
    renderToReadableStream(<Frame page={page} context={context} />, (error) => {
      throw error
    }),
  )

/** Pages by JSX, which escapes everything; each is streamed to the provider, which shows it whole. */
export const pages: PagesPort = { render, draws: () => false }
