export { type LdapEntry, type LdapOptions, ldapAuthenticator } from "./authenticator.ts"
