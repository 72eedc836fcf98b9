import { profileNamed } from "@postern/core"
import { type Finding, finding } from "../fault.ts"
import type { ConfigFile } from "../schema.ts"
import { type ConfigRule, configRule } from "../rule.ts"
import { isRange } from "./server.ts"

/** Returns a setting of a feature, which has no static type. */
const urlOf = (config: object): string | undefined => {
  const url: unknown = Reflect.get(config, "mutual_tls_url")
  return typeof url === "string" ? url : undefined
}

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, "") : "")

/** Reports whether a profile requires a certificate of clients that request tokens. */
const needsCertificates = (profile: string | undefined): boolean =>
  profile !== undefined && profileNamed(profile)?.parameters.senderConstraint === "certificate"

/** Rules about client certificates. */
export const mutualTlsRules: ReadonlyArray<ConfigRule> = [
  configRule("config.mutual-tls-listen", "RFC 8705 §6.1", ({ config: { mutual_tls, tls } }) =>
    mutual_tls?.listen === undefined || tls !== undefined
      ? []
      : [
          finding(
            ["mutual_tls", "listen"],
            "needs tls, which is not set",
            "set tls, or let a proxy ask for certificates: mutual_tls.proxies",
          ),
        ],
  ),
  configRule("config.mutual-tls-source", "RFC 8705 §5, §6.5", ({ config }) => {
    const [{ mutual_tls }, mutual_tls_url] = [config, urlOf(config)]
    const asks = mutual_tls?.listen !== undefined || mutual_tls?.proxies !== undefined
    if (mutual_tls_url !== undefined && !asks)
      return [
        {
          path: ["mutual_tls_url"],
          message: "is set, but nothing asks for certificates there",
          hint: "set mutual_tls.listen for a listener of Postern's own, or mutual_tls.proxies for the header of a proxy",
        },
      ]
    return asks && mutual_tls_url === undefined
      ? [finding(["mutual_tls"], "asks for certificates, but clients cannot find out where", "set mutual_tls_url to the URL of that host")]
      : []
  }),
  configRule("config.mutual-tls-path", "RFC 8705 §5", ({ config }) =>
    config.issuer === undefined || pathOf(config.issuer) === pathOf(urlOf(config) ?? config.issuer)
      ? []
      : [finding(["mutual_tls_url"], "has another path than the issuer", "give it the issuer's path: the endpoints are below that")],
  ),
  configRule("config.mutual-tls-authority", "RFC 8705 §7.4", ({ config: { mutual_tls }, around }): ReadonlyArray<Finding> => {
    const file = mutual_tls?.ca_file
    return file === undefined || /-----BEGIN CERTIFICATE-----/.test(around.isReadable(file) ? (around.text(file) ?? "") : "")
      ? []
      : [
          finding(
            ["mutual_tls", "ca_file"],
            `${file} holds no certificate in PEM form, or cannot be read`,
            "give the certificates of your clients' authorities",
          ),
        ]
  }),
  configRule("config.mutual-tls-proxies", "RFC 8705 §6.5, RFC 9440 §2.4", ({ config: { mutual_tls } }) =>
    (mutual_tls?.proxies?.from ?? []).flatMap((entry, at) =>
      isRange(entry)
        ? []
        : [finding(["mutual_tls", "proxies", "from", at], `${entry} is not an address or range`, "write 10.0.0.7, 10.0.0.0/8 or fd00::/8")],
    ),
  ),
  configRule("config.mutual-tls-clients", "RFC 8705 §2, §3.4, FAPI 1.0 Part 2 §5.2.2 (5)", ({ config }) => {
    if (urlOf(config) !== undefined) return []
    const unmet = (path: Finding["path"]): Finding =>
      finding(
        path,
        "needs a certificate, but nothing asks clients for one",
        "set mutual_tls and mutual_tls_url; docs/operating.md says how",
      )
    const byProvider = needsCertificates(config.profile) ? [unmet(["profile"])] : []
    const byClients = (config.clients ?? []).flatMap((client, at) => {
      const name = memberNeeding(client)
      return name === undefined ? [] : [unmet(["clients", at, name])]
    })
    return [...byProvider, ...byClients]
  }),
]

/** Returns the member by which a client requires a certificate; undefined if it requires none. */
const memberNeeding = (client: NonNullable<ConfigFile["clients"]>[number]): string | undefined => {
  if (/^(?:self_signed_)?tls_client_auth$/.test(client.token_endpoint_auth_method ?? "")) return "token_endpoint_auth_method"
  const bound = "tls_client_certificate_bound_access_tokens"
  if (bound in client && client[bound] === true) return bound
  return needsCertificates(client.profile) ? "profile" : undefined
}
