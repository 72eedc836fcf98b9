import { Auth, type AuthConfig } from "@auth/core"
import express from "express"
import openid from "express-openid-connect"
import session from "express-session"
import passport from "passport"
import { Strategy, type VerifyCallback } from "passport-openidconnect"
import { alice } from "../interop/people.ts"
import { openSite } from "../interop/site.ts"
import { Visitor } from "../interop/visitor.ts"
import { type Driver, secret } from "./misbehaveDrivers.ts"

const withPassport = (issuer: string, site: string): express.Express => {
  const app = express()
  const authenticator = new passport.Passport()
  const strategy = new Strategy(
    {
      issuer,
      authorizationURL: `${issuer}/connect/authorize`,
      tokenURL: `${issuer}/connect/token`,
      userInfoURL: `${issuer}/connect/userinfo`,
      clientID: "passport-openidconnect",
      clientSecret: secret,
      callbackURL: `${site}/callback`,
      scope: ["profile", "email"],
      nonce: "20",
      skipUserProfile: false,
    },
    (_issuer: string, profile: passport.Profile, done: VerifyCallback) => done(null, { sub: profile.id }),
  )
  authenticator.use(strategy)
  authenticator.serializeUser((user, done) => done(null, JSON.stringify(user)))
  authenticator.deserializeUser((user: string, done) => done(null, JSON.parse(user) as Express.User))
  app.use(session({ secret: "the site's own", resave: false, saveUninitialized: false }))
  app.use(authenticator.session())
  app.get("/login", authenticator.authenticate("openidconnect"))
  app.get("/callback", authenticator.authenticate("openidconnect", { successRedirect: "/me", failureRedirect: "/failed" }))
  app.get("/me", (request, response) => void response.json(request.user ?? null))
  return app
}

const withExpressOpenidConnect =
  (client: string, more: object) =>
  (issuer: string, site: string): express.Express => {
    const app = express()
    const settings = {
      issuerBaseURL: issuer,
      baseURL: site,
      clientID: client,
      clientSecret: secret,
      secret: "the site's own secret, long enough for it",
      authRequired: false,
      authorizationParams: { response_type: "code", scope: "openid profile email", ...more },
    }
    app.use(openid.auth(settings as Parameters<typeof openid.auth>[0]))
    app.get("/", async (request, response) => {
      if (!request.oidc.isAuthenticated()) return void response.json(null)
      response.json(await request.oidc.fetchUserInfo())
    })
    return app
  }

/** Auth.js as its pages show it for a provider of OpenID Connect; `byUserinfo` reads the person from there, and not from the ID token. */
const withAuthJs =
  (client: string, byUserinfo: boolean) =>
  (issuer: string, site: string): express.Express => {
    const config: AuthConfig = {
      basePath: "/auth",
      secret: "the site's own",
      trustHost: true,
      logger: { error: () => undefined, warn: () => undefined },
      providers: [
        {
          id: "postern",
          name: "Postern",
          type: "oidc",
          issuer,
          clientId: client,
          clientSecret: secret,
          checks: ["pkce", "state", "nonce"],
          ...(byUserinfo ? { idToken: false } : {}),
        },
      ],
    }
    const app = express()
    app.use("/auth", express.text({ type: "*/*" }), async (request, response) => {
      const headers = Object.entries(request.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
      const body = request.method === "POST" ? { body: String(request.body) } : {}
      const answer = await Auth(
        new Request(`${site}${request.originalUrl}`, { method: request.method, headers: headers as Array<[string, string]>, ...body }),
        config,
      )
      response.writeHead(answer.status, [...answer.headers].flat())
      response.end(await answer.text())
    })
    app.get("/", (_request, response) => void response.send("home"))
    return app
  }

/** Signs in by the form of Auth.js, and reads the session. */
const byAuthJs = async (site: string): Promise<void> => {
  const alice = new Visitor()
  const { csrfToken } = (await (await alice.go(`${site}/auth/csrf`)).json()) as { readonly csrfToken: string }
  const body = new URLSearchParams({ csrfToken, callbackUrl: `${site}/` })
  const sent = await alice.go(`${site}/auth/signin/postern`, { method: "POST", body })
  const { url } = await alice.visit(sent.headers.get("location") ?? "")
  if ((await (await alice.go(`${site}/auth/session`)).json()) === null) throw new Error(`not signed in: ${url}`)
}

/** A web site of a client, as it is registered and driven. */
export interface SiteDriver extends Driver {
  readonly registration: Readonly<Record<string, unknown>> & { readonly client_id: string; readonly client_secret: string }
  readonly close: () => Promise<void>
}

const byLogin = async (site: string): Promise<void> => {
  const { status, text } = await new Visitor().visit(`${site}/login`)
  if (status !== 200 || !text.includes('"sub"')) throw new Error(`not signed in: ${status} ${text.slice(0, 300)}`)
}

/** The ways in which one site differs from the others. */
interface Differing {
  readonly callback?: string
  readonly visited?: (site: string) => Promise<void>
  readonly registered?: Readonly<Record<string, unknown>>
}

const opened = async (
  client: string,
  application: (issuer: string, site: string) => express.Express,
  { callback = "/callback", visited = byLogin, registered = {} }: Differing = {},
): Promise<SiteDriver> => {
  const site = await openSite()
  return {
    name: client,
    client,
    isSite: true,
    registration: {
      client_id: client,
      client_secret: secret,
      redirect_uris: [`${site.url}${callback}`],
      scope: "openid profile email",
      require_pkce: false,
      require_consent: false,
      ...registered,
    },
    signIn: async (issuer) => {
      const app = application(issuer, site.url)
      const failing: express.ErrorRequestHandler = (error, _request, response, _next) => void response.status(500).send(String(error))
      site.answerWith(app.use(failing))
      await visited(site.url)
    },
    close: site.close,
  }
}

/** The middlewares, each on a site of its own. */
export const sites: Readonly<Record<string, () => Promise<SiteDriver>>> = {
  "passport-openidconnect": async () => ({
    ...(await opened("passport-openidconnect", withPassport)),
    // Userinfo that is no JSON ends in an exception that nobody can catch (docs/testing.md), and it asks for no responses as JWTs.
    meets: ({ id }) => !id.startsWith("userinfo.signature-") && !id.startsWith("response-jwt."),
  }),
  "express-openid-connect": () => opened("express-openid-connect", withExpressOpenidConnect("express-openid-connect", {})),
  "express-openid-connect, hybrid": () =>
    opened(
      "express-openid-connect-hybrid",
      withExpressOpenidConnect("express-openid-connect-hybrid", { response_type: "code id_token", response_mode: "form_post" }),
      { registered: { grant_types: ["authorization_code", "implicit"], response_types: ["code id_token"] } },
    ),
  "Auth.js": () => opened("authjs", withAuthJs("authjs", false), { callback: "/auth/callback/postern", visited: byAuthJs }),
  "Auth.js, by userinfo": () =>
    opened("authjs-userinfo", withAuthJs("authjs-userinfo", true), { callback: "/auth/callback/postern", visited: byAuthJs }),
}

/** The person, as the visitor signs in. */
export const person = { username: alice[0], password: alice[1] }
