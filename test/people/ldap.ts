import { secretOf } from "@postern/core"
import { ldapAuthenticator } from "@postern/people-ldap"

export const people = (url: string, ca: string) =>
  ldapAuthenticator({
    url,
    tls: { ca },
    bind: { dn: "cn=postern,dc=example,dc=com", password: secretOf(process.env["LDAP_PASSWORD"] ?? "") },
    base: "ou=people,dc=example,dc=com",
    filter: "(objectClass=inetOrgPerson)",
    active: ({ all }) => !all("employeeType").includes("gone"),
    attributes: ["cn", "givenName", "sn", "mail", "employeeType"],
  })
