import { authorize, signedIn } from "../support/flows.ts"
import { type Said } from "../support/visitor.ts"
import { type World, password } from "../support/world.ts"
import { type Case, page, shown } from "./case.ts"

type Form = { readonly action: string; readonly hidden: ReadonlyArray<readonly [string, string]> }

const formOf = ({ page: model }: Said, name = "form"): Form => model?.[name] as Form

/** Sends a form of a page from elsewhere: with its token and the browser's cookies, which a page of another origin of this site has too. */
type Send = (w: World, headers: Record<string, string>) => Promise<Said>

const login: Send = async (w, headers) => {
  const visitor = w.visitor()
  const form = formOf(await authorize(visitor))
  return visitor.post(form.action, [...form.hidden, ["username", "alice"], ["password", password]], headers)
}

const onHome =
  (name: string): Send =>
  async (w, headers) => {
    const visitor = await signedIn(w)
    const form = formOf(await visitor.get("/"), name)
    return visitor.post(form.action, form.hidden, headers)
  }

const consent: Send = async (w, headers) => {
  const visitor = await signedIn(w)
  const form = formOf(await authorize(visitor, "asks"))
  return visitor.post(form.action, [...form.hidden, ["decision", "allow"]], headers)
}

/** Every form of ours, by the path it is sent to. */
const forms: Readonly<Record<string, Send>> = {
  "/login": login,
  "/login/upstream": (w, headers) => w.visitor().post("/login/upstream", { provider: "corp" }, headers),
  "/consent": consent,
  "/device": (w, headers) => w.visitor().post("/device", { user_code: "BCDF-GHJK" }, headers),
  "/sessions/end": onHome("endSession"),
  "/consents/withdraw": onHome("withdrawConsent"),
  "/logout": onHome("logout"),
}

/** Our own forms are sent by our own pages: Fetch Metadata §2.3. */
export const cases: ReadonlyArray<Case> = [
  ...Object.entries(forms).flatMap(([path, send]) =>
    ["cross-site", "same-site"].map((site): Case => ({
      title: `Fetch Metadata §2.3, RFC 6749 §10.12: a ${site} POST to ${path} is refused, even with the form's token`,
      rule: "own-form.same-origin",
      run: (w) => send(w, { "sec-fetch-site": site }),
      expect: shown("form_stale", "invalid_request", 403),
    })),
  ),
  ...["same-origin", "none", "of-tomorrow"].map((site): Case => ({
    title: `Fetch Metadata §2.3: a POST whose Sec-Fetch-Site is ${site} is judged by the form's token`,
    rule: undefined,
    run: (w) => login(w, { "sec-fetch-site": site }),
    expect: { status: 303 },
  })),
  {
    title: "Fetch Metadata §2.3: a link from another site opens a page of ours",
    rule: "session.live",
    run: (w) => w.visitor({ "sec-fetch-site": "cross-site" }).get("/login"),
    expect: page("Login"),
  },
  {
    title: "OpenID Connect Core §3.1.2.1: an authorization request may be POSTed by another site",
    rule: "browser.known",
    run: (w) =>
      w
        .visitor()
        .post("/connect/authorize", { client_id: "web", redirect_uri: "https://app.example/cb" }, { "sec-fetch-site": "cross-site" }),
    expect: { status: 303 },
  },
]
