import type { Pairs } from "./asked.ts"
import type { Kind } from "./kinds.ts"

/** One way in which a request is not the usual one: wrong, or merely odd. */
export interface Fault {
  readonly name: string
  readonly on: (pairs: Pairs, kind: Kind) => Pairs
}

const without = (name: string): Fault => ({ name: `no ${name}`, on: (pairs) => pairs.filter(([each]) => each !== name) })
const set = (name: string, value: string): Fault => ({
  name: `${name}=${value.length > 60 ? `${value.slice(0, 20)}… (${value.length})` : value}`,
  on: (pairs) => [...pairs.filter(([each]) => each !== name), [name, value]],
})
const also = (name: string, value: string, where: "before" | "after"): Fault => ({
  name: `${name}=${value} ${where} the others`,
  on: (pairs) => (where === "after" ? [...pairs, [name, value]] : [[name, value], ...pairs]),
})
/** The parameter's own value once more; where there is none, an unusual one twice. */
const twice = (name: string): Fault => ({
  name: `${name} twice`,
  on: (pairs) => {
    const [own] = pairs.filter(([each]) => each === name)
    return own === undefined ? [...pairs, [name, "x"], [name, "x"]] : [...pairs, own]
  },
})
const redirectUri = (name: string, change: (uri: string) => string): Fault => ({
  name: `redirect_uri ${name}`,
  on: (pairs, kind) => set("redirect_uri", change(kind.redirectUri)).on(pairs, kind),
})
const port = (uri: string, value: string): string => uri.replace(/^([a-z]+:\/\/(?:\[[^\]]*\]|[^/:]*))(?::\d*)?/u, `$1:${value}`)

const parameters = [
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "scope",
  "state",
  "nonce",
  "prompt",
  "max_age",
  "code_challenge",
  "code_challenge_method",
  "login_hint",
  "ui_locales",
  "acr_values",
  "display",
  "resource",
  "unheard_of",
]

const values: Readonly<Record<string, ReadonlyArray<string>>> = {
  client_id: ["nobody", "CLIENT-0", " client-0", "client-0\u0000", "client-0,client-0", "é", "x".repeat(300)],
  response_type: [
    "none",
    "Code",
    "code,id_token",
    "code id_token foo",
    "foo",
    "id_token id_token",
    "code code",
    " code",
    "code  id_token",
    "code\ttoken",
    "code token",
    "token code",
    "\u0000",
    "x".repeat(500),
  ],
  response_mode: ["JWT", "Query", "form_post ", "query fragment", "\u0000", "web_message"],
  scope: [
    "nothing",
    "openid nothing",
    "openid role",
    "OPENID",
    "openid  api.read",
    " openid",
    "openid openid",
    "openid,profile",
    "openid\tprofile",

    'openid "',
    "openid \\",
    " ",
    "offline_access",
    "openid offline_access",
    "api.read offline_access",
    "billing",
    "profile",
    "api.read",
    "openid é",
    "openid api.write",
    "openid api.read billing",
    "openid profile email address phone offline_access api.read api.write billing",
  ],
  state: ["é \u{1f600}", "a b+c&d=e%20", "<script>", "\r\nx: y", "\u0000", "x".repeat(2000)],
  nonce: ["é \u{1f600}", "a b+c&d=e%20", "x".repeat(2000), "\u0000"],
  prompt: [
    "none",
    "login",
    "consent",
    "select_account",
    "create",
    "none login",
    "login none",
    "consent login",
    "NONE",
    "yes",
    "none none",
    " ",
  ],
  max_age: ["0", "60", "100", "1000", "-1", "1.5", "1e3", "x", " 60", "+60", "99999999999999999999", "0x10", "00", "\u0661"],
  code_challenge: [
    "short",
    "a".repeat(42),
    "a".repeat(44),
    "a".repeat(128),
    "a".repeat(129),
    `${"a".repeat(42)}=`,
    `${"a".repeat(42)}é`,
    `${"a".repeat(42)} `,
  ],
  code_challenge_method: ["plain", "s256", "S512", "none", "S256 plain", "PLAIN"],
  resource: [
    "https://api.example",
    "https://billing.example",
    "https://nobody.example",
    "https://api.example/",
    "https://API.example",
    "api",
    "https://api.example#part",
    "https://api.example#",
    "/api",
    "urn:api",
    "\u0000",
    "https://api.example https://billing.example",
  ],
  login_hint: ["alice", "<b>", "x".repeat(2000), "\u0000\r\n"],
  ui_locales: ["de fr", "xx-not-a-language", "<b>", "\u0000"],
  acr_values: ["urn:level:2", "tenant:one", "<b>", "\u0000"],
  display: ["page", "popup", "wall"],
  id_token_hint: ["x", "a.b.c", "eyJhbGciOiJub25lIn0.e30."],
  registration: ["{}", "x"],
  unheard_of: ["x", "<b>"],
}

/** Every single fault, in order: each parameter missing, empty, repeated, and with each value that is unusual. */
export const faults: ReadonlyArray<Fault> = [
  ...parameters.map(without).slice(0, -1),
  ...parameters.map((name) => set(name, "")),
  ...parameters.map(twice),
  ...parameters.flatMap((name) => [
    also(name, "other", "after"),
    also(name, "other", "before"),
    also(name, "", "after"),
    also(name, "", "before"),
  ]),
  ...Object.entries(values).flatMap(([name, each]) => each.map((value) => set(name, value))),
  also("resource", "https://billing.example", "after"),
  { name: "two resources", on: (pairs) => [...pairs, ["resource", "https://api.example"], ["resource", "https://billing.example"]] },
  { name: "registration=", on: (pairs) => [...pairs, ["registration", ""]] },
  { name: "an error of its own", on: (pairs) => [...pairs, ["error", "x"], ["iss", "https://evil.example"], ["code", "c"]] },
  redirectUri("another path", (uri) => `${uri}2`),
  redirectUri("a slash more", (uri) => `${uri}/`),
  redirectUri("a query more", (uri) => `${uri}?x=1`),
  redirectUri("a fragment more", (uri) => `${uri}#x`),
  redirectUri("an empty query more", (uri) => `${uri}?`),
  redirectUri("upper case", (uri) => uri.toUpperCase()),
  redirectUri("a space before", (uri) => ` ${uri}`),
  redirectUri("a line break behind", (uri) => `${uri}\r\n`),
  redirectUri("dots", (uri) => uri.replace(/cb$/u, "x/../cb")),
  redirectUri("percent-encoded", (uri) => uri.replace(/cb$/u, "%63b")),
  redirectUri("a user", (uri) => uri.replace("://", "://evil@")),
  redirectUri("another host", () => "https://evil.example/cb"),
  redirectUri("relative", () => "/cb"),
  redirectUri("javascript", () => "javascript:alert(1)"),
  redirectUri("the second registered", (uri) => (uri.startsWith("https:") ? `${uri}?tab=1` : "com.example.app:/cb")),
  redirectUri("the second registered, other case", () => "com.example.app:/CB"),
  ...["8080", "65535", "65536", "0", "", "1x", "080"].map((value) => redirectUri(`port ${value}`, (uri) => port(uri, value))),
  redirectUri("loopback of six", () => "http://[::1]:9/cb"),
  redirectUri("loopback of six, other path", () => "http://[::1]:9/other"),
  redirectUri("loopback by name", () => "http://localhost:9/cb"),
  redirectUri("loopback, another address", () => "http://127.0.0.2/cb"),
  redirectUri("loopback over https", () => "https://127.0.0.1/cb"),
  set("state", "x".repeat(12_288)),
  set("unheard_of", "x".repeat(13_000)),
  set("redirect_uri", `https://app.example/cb?${"x".repeat(13_000)}`),
]
