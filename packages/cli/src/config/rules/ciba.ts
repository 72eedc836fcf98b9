import { finding } from "../fault.ts"
import { type ConfigRule, configRule } from "../rule.ts"
import { isLoopbackHost } from "./server.ts"

/** Rules about requests that people answer on their own devices. */
export const cibaRules: ReadonlyArray<ConfigRule> = [
  // The messages name people, and may carry a bearer token.
  configRule("config.ciba-notification", "RFC 6750 §5.3, RFC 9700 §2.6", ({ config: { ciba } }) => {
    const endpoint = ciba?.notification?.endpoint
    if (endpoint === undefined) return []
    const path = ["ciba", "notification", "endpoint"]
    if (!URL.canParse(endpoint)) return [finding(path, "is no URL", "write it in full: https://push.example.com/ciba")]
    const { protocol, hostname, username, password } = new URL(endpoint)
    if (protocol !== "https:" && !isLoopbackHost(hostname))
      return [finding(path, "is http to another machine: everybody between could read whom it tells, and the token", "use https")]
    return username !== "" || password !== ""
      ? [finding(path, "carries a user name", "leave out everything before the @, and give the service a token")]
      : []
  }),
]
