import { frozen } from "./frozen.ts"

/** Client authentication and token binding by mutual TLS. */
export const mutualTls = frozen(
  "mutual-tls",
  "Clients and tokens by certificates of TLS connections (RFC 8705)",
  `
    mutual-tls.aliases mutual-tls.token mutual-tls.token-none mutual-tls.token-other mutual-tls.token-client-id mutual-tls.bound
    mutual-tls.type mutual-tls.userinfo mutual-tls.userinfo-none mutual-tls.userinfo-other mutual-tls.refresh mutual-tls.refresh-none
    mutual-tls.refresh-other
  `,
)
