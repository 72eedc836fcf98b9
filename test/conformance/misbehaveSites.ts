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

const withExpressOpenidConnect = (issuer: string, site: string): express.Express => {
  const app = express()
  const settings = {
    issuerBaseURL: issuer,
    baseURL: site,
    clientID: "express-openid-connect",
    clientSecret: secret,
    secret: "the site's own secret, long enough for it",
    authRequired: false,
    authorizationParams: { response_type: "code", scope: "openid profile email" },
  }
  app.use(openid.auth(settings as Parameters<typeof openid.auth>[0]))
  app.get("/", async (request, response) => {
    if (!request.oidc.isAuthenticated()) return void response.json(null)
    response.json(await request.oidc.fetchUserInfo())
  })
  return app
}

/** A web site of a client, as it is registered and driven. */
export interface SiteDriver extends Driver {
  readonly registration: Readonly<Record<string, unknown>> & { readonly client_id: string; readonly client_secret: string }
  readonly close: () => Promise<void>
}

const opened = async (client: string, application: (issuer: string, site: string) => express.Express): Promise<SiteDriver> => {
  const site = await openSite()
  return {
    name: client,
    client,
    registration: {
      client_id: client,
      client_secret: secret,
      redirect_uris: [`${site.url}/callback`],
      scope: "openid profile email",
      require_pkce: false,
      require_consent: false,
    },
    signIn: async (issuer) => {
      const app = application(issuer, site.url)
      const failing: express.ErrorRequestHandler = (error, _request, response, _next) => void response.status(500).send(String(error))
      site.answerWith(app.use(failing))
      const { status, text } = await new Visitor().visit(`${site.url}/login`)
      if (status !== 200 || !text.includes('"sub"')) throw new Error(`not signed in: ${status} ${text.slice(0, 300)}`)
    },
    close: site.close,
  }
}

/** The middlewares, each on a site of its own. */
export const sites: Readonly<Record<string, () => Promise<SiteDriver>>> = {
  "passport-openidconnect": () => opened("passport-openidconnect", withPassport),
  "express-openid-connect": () => opened("express-openid-connect", withExpressOpenidConnect),
}

/** The person, as the visitor signs in. */
export const person = { username: alice[0], password: alice[1] }
