import { BlockList, isIP } from "node:net"
import { createSecureContext, type SecureContextOptions } from "node:tls"
import { normalIssuer } from "@postern/core/wire"
import { type Finding, finding } from "../fault.ts"
import { urlFault } from "@postern/adapter-postgres/url"
import { pageDesigns } from "../features.ts"
import { pagesFinding, pagesOptions } from "../pages.ts"
import { type ConfigRule, configRule } from "../rule.ts"
import { secretText } from "../secret.ts"

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8)
loopback.addAddress("::1", "ipv6")

/** Reports whether a host name is a loopback address. */
export const isLoopbackHost = (hostname: string): boolean => {
  const bare = hostname.replace(/^\[|\]$/g, "")
  const family = isIP(bare)
  return hostname === "localhost" || (family !== 0 && loopback.check(bare, family === 6 ? "ipv6" : "ipv4"))
}

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

/** Reports whether a string is an IP address or a network. */
export const isRange = (text: string): boolean => {
  const [address = "", bits, ...more] = text.split("/")
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Returns OpenSSL's error about a key, a certificate, or their combination. */
const refusalOf = (pair: SecureContextOptions): string | undefined => {
  try {
    createSecureContext(pair)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^error:[0-9A-F]+:/i, "") : String(error)
  }
}

const pairFindings = (key: string | undefined, cert: string | undefined): ReadonlyArray<Finding> => {
  if (key === undefined || cert === undefined) return []
  if (/-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(key))
    return [finding(["tls", "key_file"], "is encrypted", "give a key without a passphrase, readable by this user alone")]
  const [ofKey, ofCert] = [refusalOf({ key }), refusalOf({ cert })]
  if (ofKey !== undefined) return [finding(["tls", "key_file"], `cannot be used: ${ofKey}`, "give a private key in PEM form")]
  if (ofCert !== undefined) return [finding(["tls", "cert_file"], `cannot be used: ${ofCert}`, "give a certificate in PEM form")]
  const together = refusalOf({ key, cert })
  return together === undefined
    ? []
    : [
        finding(
          ["tls", "cert_file"],
          `does not match the key: ${together}`,
          "give the certificate that was issued for key_file, first in its chain",
        ),
      ]
}

/** Rules about the server: its issuer, its listener, and its data. */
export const serverRules: ReadonlyArray<ConfigRule> = [
  configRule("config.issuer-url", "RFC 8414 §2", ({ config: { issuer } }) => {
    if (issuer === undefined)
      return [
        { path: ["issuer"], about: "absence", message: "is missing", hint: "add the provider's public base URL: https://id.example.com" },
      ]
    const url = parsed(issuer)
    if (url === undefined || !/^https?:\/\//.test(issuer) || url.hostname === "")
      return [finding(["issuer"], "is not an https URL", "write the full URL: https://id.example.com")]
    const normal = normalIssuer(issuer) ?? ""
    const faults = [
      ...(url.username !== "" || url.password !== "" ? [finding(["issuer"], "carries a user name", "remove everything before the @")] : []),
      ...(issuer.includes("?") ? [finding(["issuer"], "has a query", "remove the ? and everything after it")] : []),
      ...(issuer.includes("#") ? [finding(["issuer"], "has a fragment", "remove the # and everything after it")] : []),
      ...(/[\s\p{Cc}\\]/u.test(issuer)
        ? [finding(["issuer"], "contains a space, backslash or control character", "write a plain URL")]
        : []),
    ]
    return faults.length > 0 || issuer.replace(/\/$/, "") === normal
      ? faults
      : [finding(["issuer"], "is not in the form in which clients compare it (RFC 8414 §3.3)", `if ${normal} is meant, write that`)]
  }),
  configRule("config.issuer-slash", "OpenID Connect Discovery §4.1", ({ config: { issuer } }) =>
    issuer?.endsWith("/") === true
      ? [
          finding(
            ["issuer"],
            "ends with a slash",
            "remove the trailing slash: clients compare the issuer byte for byte and append their paths to it",
          ),
        ]
      : [],
  ),
  configRule("config.conformance-resource", "RFC 7662 §2.1, FAPI 2.0 Security Profile §5.3.4", ({ config, development }) => {
    const { conformance_resource: id, issuer = "", clients = [] } = config
    if (id === undefined) return []
    if (!development) return [finding(["conformance_resource"], "is only for development mode", "remove it, or set development to true")]
    const client = clients.find((each) => each.client_id === id)
    const resource = `${issuer}/conformance/resource`
    return client?.client_secret !== undefined && client.introspection_resources?.includes(resource) === true
      ? []
      : [
          finding(
            ["conformance_resource"],
            `${id} is not a client with a secret that may introspect tokens of ${resource}`,
            `declare it under clients, with "introspection_resources": ["${resource}"]`,
          ),
        ]
  }),
  configRule("config.issuer-https", "RFC 8414 §2", ({ config: { issuer }, development }) => {
    const url = parsed(issuer ?? "")
    if (url?.protocol !== "http:") return []
    if (!isLoopbackHost(url.hostname))
      return [finding(["issuer"], "is http", "use https; http is for development on a loopback address only")]
    return development
      ? []
      : [finding(["issuer"], "is http, and this is not development mode", "use https, or set development to true on a machine of your own")]
  }),
  configRule("config.tls-files", "RFC 9700 §2.6", ({ config: { tls }, around }) => {
    const unread = (["key_file", "cert_file"] as const).flatMap((name) => {
      const file = tls?.[name]
      if (file === undefined) return []
      if (!around.isReadable(file))
        return [
          finding(
            ["tls", name],
            `${file} cannot be read`,
            "check that it exists and that this user can read it; relative paths start from the configuration's folder",
          ),
        ]
      const wanted = name === "key_file" ? /-----BEGIN [A-Z ]*PRIVATE KEY-----/ : /-----BEGIN CERTIFICATE-----/
      return wanted.test(around.text(file) ?? "")
        ? []
        : [
            finding(
              ["tls", name],
              `${file} holds no ${name === "key_file" ? "private key" : "certificate"} in PEM form`,
              "give the PEM file",
            ),
          ]
    })
    if (unread.length > 0 || tls?.key_file === undefined || tls.cert_file === undefined) return unread
    return pairFindings(around.text(tls.key_file), around.text(tls.cert_file))
  }),
  configRule("config.data", "", ({ config: { data }, around }) => {
    const read = data === undefined ? undefined : secretText(data, around)
    const text = read !== undefined && "text" in read ? read.text : ""
    const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1]?.toLowerCase()
    if (scheme === undefined || scheme === "sqlite" || scheme.length === 1) return []
    if (scheme !== "postgres" && scheme !== "postgresql")
      return [finding(["data"], `${scheme}: is not a store of this version`, "name a folder, sqlite:FILE, or postgres://…")]
    const fault = urlFault(text)
    return fault === undefined
      ? []
      : [finding(["data"], `is not the URL of a database: ${fault}`, "write postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
  }),
  configRule("config.trusted-proxies", "", ({ config: { trusted_proxies = [] } }) =>
    trusted_proxies.flatMap((range, at) =>
      isRange(range)
        ? []
        : [finding(["trusted_proxies", at], `${range} is not an address or range`, "write 10.0.0.7, 10.0.0.0/8 or fd00::/8")],
    ),
  ),
  configRule("config.pages", "", ({ config: { pages = {}, grants, ciba }, around, pagesTrial }) => {
    const fault = pagesTrial({ ...pagesOptions(pages, around.absolute), pages: pageDesigns({ grants, ciba }, around.absolute) })
    return fault === undefined ? [] : [pagesFinding(fault, pages)]
  }),
]
