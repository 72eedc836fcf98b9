import { type KeyObject, generateKeyPairSync, randomBytes, sign } from "node:crypto"

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const long = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...long]), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...parts)

const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number)
  const base128 = (number: number): ReadonlyArray<number> => {
    const digits = [number & 127]
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left & 127) | 128)
    return digits
  }
  return der(6, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)))
}

/** An attribute of a subject: its type, its value, and the tag of its string (UTF8String when not given). */
export type SubjectPart = readonly [type: string, value: string | Uint8Array, tag?: number]

const name = (parts: ReadonlyArray<SubjectPart | ReadonlyArray<SubjectPart>>): Buffer =>
  sequence(
    ...parts.map((part) => {
      const set = (typeof part[0] === "string" ? [part] : part) as ReadonlyArray<SubjectPart>
      return der(
        0x31,
        ...set.map(([type, value, tag = 12]) => sequence(oid(type), der(tag, typeof value === "string" ? Buffer.from(value) : value))),
      )
    }),
  )

const time = (moment: number): Buffer => der(23, Buffer.from(`${new Date(moment).toISOString().replace(/\D/g, "").slice(2, 14)}Z`))

/** Other names of a certificate, each with the tag of its kind: 1 e-mail, 2 DNS, 6 URI, 7 IP address. */
export type AlternativeName = readonly [kind: 1 | 2 | 6 | 7, value: string | Uint8Array]

/** A certificate with its key. */
export interface Made {
  readonly der: Buffer
  readonly cert: string
  readonly key: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  readonly subject: ReadonlyArray<SubjectPart | ReadonlyArray<SubjectPart>>
}

/** The content of a certificate to be made; nothing of it is needed. */
export interface Making {
  readonly subject?: Made["subject"]
  readonly names?: ReadonlyArray<AlternativeName>
  /** The authority that signs it; itself when not given. */
  readonly by?: Made
  readonly isAuthority?: boolean
  /** The days until it expires, 30 when not given; below zero for one that has expired. */
  readonly days?: number
  readonly keys?: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }
}

const cn = "2.5.4.3"
const day = 86_400_000

/** Makes a certificate, of P-256 unless keys are given. */
export const makeCertificate = ({ subject = [[cn, "app"]], names = [], by, isAuthority = false, days = 30, keys }: Making = {}): Made => {
  const { publicKey, privateKey } = keys ?? generateKeyPairSync("ec", { namedCurve: "P-256" })
  const ecdsa = sequence(oid("1.2.840.10045.4.3.2"))
  const extensions = [
    ...(isAuthority ? [sequence(oid("2.5.29.19"), der(1, Buffer.from([255])), der(4, sequence(der(1, Buffer.from([255])))))] : []),
    ...(names.length === 0
      ? []
      : [
          sequence(
            oid("2.5.29.17"),
            der(
              4,
              sequence(...names.map(([kind, value]) => der(0x80 | kind, typeof value === "string" ? Buffer.from(value, "latin1") : value))),
            ),
          ),
        ]),
  ]
  const tbs = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsa,
    name(by?.subject ?? subject),
    sequence(time(Date.now() - day + Math.min(days, 0) * day), time(Date.now() + days * day)),
    name(subject),
    publicKey.export({ format: "der", type: "spki" }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  const signer =
    by?.privateKey ?? (privateKey.asymmetricKeyType === "ec" ? privateKey : generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey)
  const whole = sequence(tbs, ecdsa, der(3, Buffer.from([0]), sign("sha256", tbs, signer)))
  const cert = `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`
  return { der: whole, cert, key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(), privateKey, publicKey, subject }
}

/** The certificate of RFC 8705 appendix A, and its thumbprint. */
export const ofRfc8705 = {
  der: Buffer.from(
    "MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAxODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ/Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwIDSQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOVbUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=",
    "base64",
  ),
  thumbprint: "A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0",
} as const
