import { finding, type Finding } from "../fault.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import { isLoopbackHost } from "./server.ts"

/** Returns findings about the URL of an operator's service. `carried` describes the data sent to it. */
const endpointFindings = (name: "notification" | "user_code", endpoint: string | undefined, carried: string): ReadonlyArray<Finding> => {
  if (endpoint === undefined) return []
  const path = ["ciba", name, "endpoint"]
  if (!URL.canParse(endpoint)) return [finding(path, "is no URL", "write the full URL: https://push.example.com/ciba")]
  const { protocol, hostname, username, password } = new URL(endpoint)
  if (protocol !== "https:" && !isLoopbackHost(hostname))
    return [finding(path, `is http to another machine: anyone on the network could read ${carried} and the token`, "use https")]
  return username !== "" || password !== ""
    ? [finding(path, "carries a user name", "remove everything before the @, and give the service a token")]
    : []
}

/** Rules about client-initiated backchannel authentication. */
export const cibaRules: ReadonlyArray<ConfigRule> = [
  // The messages identify users and may carry a bearer token.
  configRule("config.ciba-notification", "RFC 6750 §5.3, RFC 9700 §2.6", ({ config: { ciba } }) =>
    endpointFindings("notification", ciba?.notification?.endpoint, "whom it tells"),
  ),
  configRule("config.ciba-user-code", "CIBA Core §7.1, RFC 6750 §5.3, RFC 9700 §2.6", ({ config: { ciba } }) =>
    endpointFindings("user_code", ciba?.user_code?.endpoint, "the codes of people"),
  ),
  configRule("config.ciba-hint-issuers", "CIBA Core §7.1", ({ config: { ciba } }) =>
    repeats(ciba?.login_hint_token_issuers ?? [], ({ issuer }) => issuer).map((at) =>
      finding(["ciba", "login_hint_token_issuers", at, "issuer"], "is also the issuer of an earlier entry", "name each issuer once"),
    ),
  ),
  // Neither kind of JWT has its own typ, so anyone holding a hint could exchange it for tokens of the user.
  configRule(
    "config.ciba-hint-issuers-apart",
    "RFC 8725 §3.11, §3.12",
    ({ config: { ciba: { login_hint_token_issuers = [] } = {}, grants: { trusted_issuers = [] } = {} } }) =>
      login_hint_token_issuers.flatMap(({ issuer }, at) =>
        trusted_issuers.some((each) => each.issuer === issuer)
          ? [
              finding(
                ["ciba", "login_hint_token_issuers", at, "issuer"],
                "is also among grants.trusted_issuers: its hints would be accepted as assertions",
                "name it in one of the two, or let it issue login_hint_tokens under another iss",
              ),
            ]
          : [],
      ),
  ),
]
