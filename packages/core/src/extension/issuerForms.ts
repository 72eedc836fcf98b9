import { type Form, type Forms, filled, listOf, recordOf, sectionOf, whole, word } from "../model/forms.ts"
import { type MemberKind, type MemberKinds, kindFault } from "../model/members.ts"
import { publicMembers } from "../model/publicMembers.ts"
import { isJsonObject, privateMember } from "../model/index.ts"
import type { KeySource } from "../model/index.ts"
import { wholeDocumentFault } from "../rules/registrationPublished.ts"
import type { TrustedIssuer } from "./trustedIssuer.ts"

/** The kinds of the members of a trusted issuer. */
export const trustedIssuerKinds: MemberKinds<TrustedIssuer> = {
  issuer: "own",
  jwks: "own?",
  jwksUri: "own?",
  audiences: "own?",
  algorithms: "own?",
  subjectClaim: "own?",
  subjects: "own?",
  maxLifetime: "own?",
  acrValues: "own?",
}

/** Public keys. One of an unknown type is ignored where it is used (RFC 7517 §5). */
const publicKey: Form = (place, key) => {
  if (!isJsonObject(key)) return kindFault(place, key, "object")
  const secret = privateMember(key)
  if (secret !== undefined) return `${place}: holds ${secret}, which is secret; give the public key alone, and replace a key that was shown`
  const { kty } = key
  return typeof kty === "string"
    ? (publicMembers[kty] ?? []).flatMap((name) => kindFault(`${place}.${name}`, key[name], "text") ?? [])
    : kindFault(`${place}.kty`, kty, "text")
}

const publicKeys = listOf(publicKey, { least: 1, isNeeded: true })

/** Key sets, which may have other members (RFC 7517 §5). */
const keySet: Form = (place, jwks) => (isJsonObject(jwks) ? publicKeys(`${place}.keys`, jwks["keys"]) : kindFault(place, jwks, "object"))

/** Algorithms with which only the holder of a private key can sign. Embedders may have a verifier of algorithms that core does not know. */
const asymmetric = word((name) =>
  /^(?:none|HS\d+|)$/i.test(name)
    ? `is ${JSON.stringify(name)}, with which others can sign too; name asymmetric ones, such as ES256 (RFC 8725 §3.1, §3.2)`
    : undefined,
)

/** The kinds and forms of the entries of a list of issuers, those of a trusted issuer by default. */
interface IssuerForms {
  readonly kinds?: Readonly<Record<string, MemberKind>>
  /** The forms of further members. */
  readonly forms?: Forms<unknown>
  /** The value that no two entries share. */
  readonly keyOf?: (issuer: never) => unknown
  /** Finds the faults of members that do not go together. */
  readonly judge?: (issuer: never) => ReadonlyArray<string | undefined>
}

/** Issuers of JWTs, each named once, and with keys. */
export const issuersForm = ({
  kinds = trustedIssuerKinds,
  forms = {},
  keyOf = ({ issuer }: TrustedIssuer) => issuer,
  judge = () => [],
}: IssuerForms = {}): Form =>
  listOf(
    sectionOf<KeySource>(kinds, { ...issuerForms, ...forms }, (issuer) => [
      (issuer.jwks === undefined) === (issuer.jwksUri === undefined)
        ? `: has ${issuer.jwks === undefined ? "no keys" : "its keys twice"}; give either jwks or jwksUri (RFC 7591 §2)`
        : undefined,
      ...judge(issuer as never),
    ]),
    { keyOf, key: ".issuer" },
  )

const issuerForms: Forms<TrustedIssuer> = {
  issuer: filled,
  jwks: keySet,
  jwksUri: word((uri) => wholeDocumentFault(uri, true)?.join("; ")),
  audiences: listOf(filled),
  algorithms: listOf(asymmetric, { least: 1 }),
  subjectClaim: filled,
  subjects: recordOf(filled),
  maxLifetime: whole(1),
  acrValues: recordOf(filled),
}
