import express from "express"
import session from "express-session"
import passport from "passport"
import { Strategy, type VerifyCallback } from "passport-openidconnect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { users } from "./people.ts"
import { recipe } from "./recipes/recipe.ts"
import { type Site, openSite } from "./site.ts"
import { Visitor } from "./visitor.ts"

const secret = "passport's secret: 100%"

const application = (provider: string, site: string) => {
  const app = express()
  const strategy = new Strategy(
    {
      issuer: provider,
      authorizationURL: `${provider}/connect/authorize`,
      tokenURL: `${provider}/connect/token`,
      userInfoURL: `${provider}/connect/userinfo`,
      clientID: "passport",
      clientSecret: secret,
      callbackURL: `${site}/callback`,
      scope: ["profile", "email"],
      // The strategy sends a nonce only when it is told how to make one.
      nonce: "20",
      skipUserProfile: false,
    },
    (issuer: string, profile: passport.Profile, done: VerifyCallback) => done(null, { issuer, profile }),
  )
  const authenticator = new passport.Passport()
  authenticator.use(strategy)
  authenticator.serializeUser((user, done) => done(null, JSON.stringify(user)))
  authenticator.deserializeUser((user: string, done) => done(null, JSON.parse(user) as Express.User))
  app.use(session({ secret: "the site's own", resave: false, saveUninitialized: false }))
  app.use(authenticator.session())
  app.get("/login", authenticator.authenticate("openidconnect"))
  app.get("/login/asked", authenticator.authenticate("openidconnect", { prompt: "consent" }))
  app.get("/callback", authenticator.authenticate("openidconnect", { successRedirect: "/me", failureRedirect: "/failed" }))
  app.get("/me", (request, response) => void response.json(request.user ?? null))
  app.get("/failed", (_request, response) => void response.send("not signed in"))
  app.use(((error, _request, response, _next) => void response.status(500).send(String(error))) satisfies express.ErrorRequestHandler)
  return app
}

describe("passport-openidconnect in express against the running server", () => {
  let server: RunningServer
  let site: Site
  beforeAll(async () => {
    site = await openSite()
    server = await serve({
      users,
      clients: recipe("passport-openidconnect", site.url, secret).clients,
    })
    site.answerWith(application(server.url, site.url))
  })
  afterAll(async () => {
    await site?.close()
    await server?.stop()
    server?.remove()
  })

  test("OpenID Connect Core §3.1: sign in by the code flow without PKCE, secret in the body, nonce, profile from userinfo", async () => {
    const alice = new Visitor()
    expect((await alice.visit(`${site.url}/me`)).text).toBe("null")
    const { url, text } = await alice.visit(`${site.url}/login`)
    expect(url).toBe(`${site.url}/me`)
    expect(JSON.parse(text)).toMatchObject({
      issuer: server.url,
      profile: { id: "alice-1", displayName: "Alice Ant", emails: [{ value: "alice@example.com" }] },
    })
    expect(JSON.parse((await alice.visit(`${site.url}/me`)).text)).toMatchObject({ issuer: server.url })
  })

  test("RFC 6749 §4.1.2.1: what the person denies arrives at the strategy as a failed sign-in, not as a fault", async () => {
    const alice = new Visitor()
    const { url, way } = await alice.visit(`${site.url}/login/asked`, "deny")
    expect(url).toBe(`${site.url}/failed`)
    expect(way.some((step) => step.includes("error=access_denied"))).toBe(true)
    expect((await alice.visit(`${site.url}/me`)).text).toBe("null")
  })
})
