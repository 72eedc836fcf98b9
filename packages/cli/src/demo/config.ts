import type { ConfigFile } from "../config/schema.ts"
import { demoDetailSettings, demoDetailTypes, paymentsApi } from "./payments.ts"
import { demoLogo } from "./playground.ts"

/** The URLs and the port of the demo. */
export interface DemoPlaces {
  readonly issuer: string
  readonly playground: string
  readonly port: number
}

/** The demo's users. Their passwords are public. */
export const demoPeople = [
  {
    username: "alice",
    password: "wonderland",
    claims: {
      name: "Alice Adams",
      given_name: "Alice",
      family_name: "Adams",
      preferred_username: "alice",
      email: "alice@example.com",
      email_verified: true,
      phone_number: "+44 20 7946 0018",
      phone_number_verified: true,
      locale: "en-GB",
      zoneinfo: "Europe/London",
      address: { street_address: "1 Hole Lane", locality: "Oxford", postal_code: "OX1 1AA", country: "United Kingdom" },
    },
  },
  {
    username: "bob",
    password: "builder",
    claims: {
      name: "Bob Brown",
      given_name: "Bob",
      family_name: "Brown",
      preferred_username: "bob",
      email: "bob@example.com",
      email_verified: false,
      locale: "de-DE",
    },
  },
] as const

/** The scopes shown in the playground. */
export const playgroundScopes = [
  { name: "openid", title: "who you are", ticked: true },
  { name: "profile", title: "your name", ticked: true },
  { name: "email", title: "your email address", ticked: true },
  { name: "offline_access", title: "a refresh token", ticked: true },
  { name: "notes.read", title: "an API", ticked: false },
  { name: "notes.write", title: "the same API", ticked: false },
]

/** The scopes of the demo's TV client. */
export const televisionScope = "openid profile"

/** The device code grant type (RFC 8628 §3.4). */
const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

/** The ids and secrets of the demo's clients. */
export const demoClients = {
  web: { client_id: "demo-web", client_secret: "demo-web-secret" },
  spa: { client_id: "demo-spa" },
  tv: { client_id: "demo-tv" },
  machine: { client_id: "demo-machine", client_secret: "demo-machine-secret" },
}

/** Returns the demo's configuration, as a file would contain it. */
export const demoConfig = ({ issuer, playground, port }: DemoPlaces): ConfigFile => ({
  issuer,
  development: true,
  pages: { name: "Postern", logo: demoLogo },
  listen: { host: "127.0.0.1", port },
  trail: "all",
  log: { level: "warn" },
  resources: [
    {
      identifier: "https://notes.example.com",
      title: "Notes",
      scopes: [
        { name: "notes.read", title: "Read your notes" },
        { name: "notes.write", title: "Write and delete notes" },
      ],
    },
    { identifier: paymentsApi, title: "Payments", scopes: [] },
  ],
  clients: [
    {
      ...demoClients.web,
      client_name: "Demo web application",
      redirect_uris: ["http://127.0.0.1:3000/callback", "http://localhost:3000/callback", `${playground}/callback`],
      post_logout_redirect_uris: ["http://127.0.0.1:3000/", "http://localhost:3000/", `${playground}/`],
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid profile email address phone offline_access notes.read notes.write",
      introspection_resources: ["https://notes.example.com"],
      // Client libraries that don't call the userinfo endpoint still show a name.
      id_token_user_claims: true,
    },
    {
      ...demoClients.spa,
      client_name: "Playground",
      client_uri: `${playground}/`,
      token_endpoint_auth_method: "none",
      redirect_uris: [`${playground}/callback`],
      post_logout_redirect_uris: [`${playground}/`],
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid profile email address phone offline_access notes.read notes.write",
      authorization_details_types: Object.keys(demoDetailTypes),
    },
    {
      ...demoClients.tv,
      client_name: "Demo television",
      token_endpoint_auth_method: "none",
      grant_types: [deviceGrant],
      response_types: [],
      scope: televisionScope,
    },
    {
      ...demoClients.machine,
      client_name: "Demo machine",
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "notes.read notes.write",
      introspection_resources: ["https://notes.example.com"],
    },
  ],
  users: demoPeople,
  ...demoDetailSettings,
})
