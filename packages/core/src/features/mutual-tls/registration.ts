import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"
import { readDistinguishedName } from "./distinguishedName.ts"
import { addressBytes } from "./ipAddress.ts"
import { certificateNames, sanIp, subjectDn } from "./metadata.ts"

/** Rules for clients that authenticate by certificates. */
export const registration = table<Registration, Fault>("registration/mutual-tls")
  .rule("registration.certificate-name", "RFC 8705 §2.1.2", (s) => {
    const given = certificateNames.filter((each) => each.of(s) !== undefined)
    if (given.length > 1)
      return fault(
        [given[1]?.name ?? ""],
        `is given beside ${given[0]?.name ?? ""}`,
        "give one of them: the certificate is known by one name",
      )
    return s.client.token_endpoint_auth_method === "tls_client_auth" && given.length === 0
      ? fault(
          ["token_endpoint_auth_method"],
          "is tls_client_auth, and no name of the certificate is known",
          `give one of: ${certificateNames.map(({ name }) => name).join(", ")}`,
        )
      : pass
  })
  .rule("registration.certificate-subject", "RFC 8705 §2.1.2, RFC 4514", (s) => {
    const name = subjectDn.of(s)
    return name === undefined || readDistinguishedName(name) !== undefined
      ? pass
      : fault([subjectDn.name], "is no distinguished name", "write it as RFC 4514 does: openssl x509 -noout -subject -nameopt RFC2253")
  })
  .rule("registration.certificate-address", "RFC 8705 §2.1.2", (s) => {
    const address = sanIp.of(s)
    return address === undefined || addressBytes(address) !== undefined
      ? pass
      : fault([sanIp.name], "is no IP address", "write it as 192.0.2.7 or 2001:db8::7")
  })
  .rule("registration.certificate-keys", "RFC 8705 §2.2.2", ({ client: { token_endpoint_auth_method: method, jwks, jwks_uri: uri } }) =>
    method !== "self_signed_tls_client_auth" || uri !== undefined || jwks?.keys.some(({ use = "sig" }) => use === "sig") === true
      ? pass
      : fault(
          ["token_endpoint_auth_method"],
          "is self_signed_tls_client_auth, and no certificate of the client is known",
          "give its certificates as x5c of jwks, or where it publishes them as jwks_uri",
        ),
  )
