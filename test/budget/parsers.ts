import { readTarget } from "../../packages/adapter-http/src/message.ts"
import { callerAddress } from "../../packages/adapter-http/src/address.ts"
import { ofAlbChain, ofAlbLeaf, ofClientCert, ofHaproxy, ofNginx, ofXfcc } from "../../packages/core/src/wire/certificateHeaders.ts"
import { readAgent } from "../../packages/adapter-http/src/pages/agent.ts"
import { negotiator } from "../../packages/adapter-http/src/pages/negotiate.ts"
import { statedClaims } from "../../packages/core/src/extension/jwt.ts"
import { readCertificate } from "../../packages/core/src/features/mutual-tls/certificate.ts"
import { readDistinguishedName } from "../../packages/core/src/features/mutual-tls/distinguishedName.ts"
import { addressBytes } from "../../packages/core/src/features/mutual-tls/ipAddress.ts"
import { requestOf } from "../../packages/core/src/features/authorize/request-object/parse.ts"
import { compose, defaultProfile } from "@postern/core"
import { scopeWords } from "@postern/core/model"
import { readSubjectId } from "../../packages/core/src/features/ciba/subjectId.ts"
import * as wire from "@postern/core/wire"
import { normalAddress } from "../../packages/core/src/features/dpop/proof.ts"
import { proofRules } from "../../packages/core/src/features/dpop/rules.ts"
import { judge, tracing } from "../../packages/core/src/rules/rule.ts"
import { endpointEnding } from "../../packages/core/src/provider/reach.ts"
import { acrAsked } from "../../packages/core/src/rules/acr.ts"
import { readClaimsRequest } from "../../packages/core/src/rules/claims.ts"
import { presentedClient } from "../../packages/core/src/rules/clientAuthentication.ts"
import { detailBounds } from "../../packages/core/src/rules/details/read.ts"
import { sentToken } from "../../packages/core/src/rules/sentToken.ts"
import { readUserCode } from "../../packages/core/src/rules/userCode.ts"
import { requestOf as ofFetch } from "../../packages/verify/src/fetch.ts"
import { requestReader } from "../../packages/verify/src/node.ts"
import { jwtForm, presentation } from "../../packages/verify/src/rules.ts"
import { claimFaults, isKnownConfirmation, tokenOf } from "../../packages/verify/src/token.ts"
import { type Shape, fill, forms, headers, plainForm, plainHeader, values } from "./shapes.ts"

/** One parser, what it is given at most, and the inputs that are worst for its kind. */
export interface Parser {
  readonly length: number
  readonly read: (text: string) => unknown
  readonly plain: Shape
  readonly shapes: Readonly<Record<string, Shape>>
}

/** The longest body, in characters. */
export const body = 65_536
/** The longest header field, in characters. */
export const header = 15_000
const words = 2_000

const jwtPart = (content: object): string => Buffer.from(JSON.stringify(content)).toString("base64url")

const form = (read: Parser["read"]): Parser => ({ length: body, read, plain: (length) => `&x=${plainForm(length - 3)}`, shapes: forms })
const value = (read: Parser["read"], length = body): Parser => ({ length, read, plain: plainForm, shapes: values })
const plainJwt: Shape = (length) => `${jwtPart({ alg: "ES256" })}.${jwtPart({ iss: plainForm((length * 3) / 4 - 60) })}.AAAA`
const jwt = (read: Parser["read"], length = body): Parser => ({ ...value(read, length), plain: plainJwt })
const field = (read: Parser["read"]): Parser => ({ length: header, read, plain: plainHeader, shapes: headers })

/** A sequence of DER that is filled with elements. */
const sequenceOf = (element: string, length: number): string => {
  const content = fill(element, length - 4 - ((length - 4) % element.length))
  return `0\u0082${String.fromCharCode(content.length >> 8, content.length & 255)}${content}`
}

const manyMembers = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]))

const trusted = callerAddress(["127.0.0.1", "10.0.0.0/8"])
const negotiate = negotiator(["en", "de", "fr", "es", "pt", "ja"], "en")
const nothing = wire.readParams("")
const composition = compose()
let round = 0

/** A request at an API that `@postern/verify` protects. */
const atApi = (authorization: string, query = "") => ({ method: "GET", path: "/notes", query, headers: { authorization }, body: "" })
const nodeRequest = requestReader()

/** Every parser of what a stranger sends. A function of `wire` that is neither here nor in {@link others} fails a test. */
export const parsers: Readonly<Record<string, Parser>> = {
  readParams: form(wire.readParams),
  readPairs: form(wire.readPairs),
  paramsOf: {
    length: body,
    read: (text) => wire.paramsOf(text.split(" ").map((name) => [name, "v"])),
    plain: (length) => fill((at) => `${(at % 20).toString(36)} `, length),
    shapes: {
      "many names": (length) => fill((at) => `${at.toString(36)} `, length),
      "every name twice": (length) => fill((at) => `${(at >> 1).toString(36)} `, length),
      "one name": (length) => fill("a ", length),
    },
  },
  requestOf: {
    length: body,
    // Only what was signed by a client is read so.
    read: (text) => requestOf(JSON.parse(text) as never, { known: new Set(["resource"]), repeated: new Set(["resource"]) }),
    plain: (length) => JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, plainForm(length / 500 - 10)]))),
    shapes: {
      "many resources": (length) =>
        JSON.stringify({ resource: Array.from({ length: length / 40 }, (_, at) => `https://api.example/${at}`) }),
    },
  },
  endpointEnding: {
    length: header,
    read: (path) => endpointEnding(composition, path),
    plain: (length) => `/${plainForm(length - 1)}`,
    shapes: {
      "slashes alone": (length) => fill("/", length),
      "an endpoint over and over": (length) => fill("/connect/tokens", length),
    },
  },
  isDeeper: {
    ...value((text) => wire.isDeeper(text, body)),
    shapes: {
      ...values,
      "opened and closed": (length) => fill("[]", length),
      "opened alone": (length) => fill("[", length),
      "quotes alone": (length) => fill('"', length),
      "escapes in a text": (length) => `"${fill("\\", length - 1)}`,
    },
  },
  isForm: field(wire.isForm),
  isJson: field(wire.isJson),
  isJsonOfAnyKind: field(wire.isJsonOfAnyKind),
  freshnessOf: {
    ...field((text) => wire.freshnessOf({ cacheControl: text, age: text, expires: text, date: text })),
    shapes: {
      ...headers,
      "many directives": (length) => fill("a=1,", length),
      "nothing but commas": (length) => fill(",", length),
      "many spaces": (length) => fill(" ", length),
    },
  },
  readObject: {
    ...value(wire.readObject),
    plain: (length) =>
      `{${fill((at) => `"member_${1000 + at}":"https://app.example/cb",`, length - 60)}"end":"`.padEnd(length - 2, "x") + '"}',
  },
  readStrictJson: {
    ...value((text) => wire.readStrictJson(text, detailBounds), detailBounds.longest),
    plain: (length) =>
      `{${fill((at) => `"member_${1000 + at}":"https://app.example/cb",`, length - 60)}"end":"`.padEnd(length - 2, "x") + '"}',
  },
  readCookie: field((text) => wire.readCookie(text, "session", "https://op.example")),
  readJwt: jwt(wire.readJwt),
  readJwtHeader: jwt((text) => wire.readJwtHeader(text.split(".")[0]), 16_384),
  readJwtPart: jwt((text) => wire.readJwtPart(text.split(".")[1]), 16_384),
  jwtParts: jwt(wire.jwtParts),
  statedClaims: jwt(statedClaims),
  decodeBase64Url: value(wire.decodeBase64Url),
  acceptedLocales: field(wire.acceptedLocales),
  wantedLocales: value(wire.wantedLocales),
  addressKey: field(wire.addressKey),
  coarseAddress: field(wire.coarseAddress),
  scopeWords: value(scopeWords, words),
  acrAsked: value((text) => acrAsked(text, undefined), words),
  readClaimsRequest: {
    ...value(readClaimsRequest, 12_288),
    plain: (length) => `{"id_token":{${fill((at) => `"given_name_${1000 + at}":{"essential":true},`, length - 60)}"sub":null}}`,
  },
  isLocale: value(wire.isLocale, 64),
  readUserCode: value(readUserCode),
  presentedClient: field((text) => presentedClient(text, nothing)),
  normalAddress: value((text) => normalAddress(`https://op.example/${text}`), 2_000),
  proofRules: {
    ...field((text) =>
      judge(tracing(new Set()), proofRules, {
        sent: text,
        method: "POST",
        addresses: ["https://op.example/token", "https://mtls.op.example/token"],
        now: 0,
        profile: defaultProfile,
      }),
    ),
    length: 8_192,
    plain: (length) => `${Buffer.from('{"typ":"dpop+jwt","alg":"ES256"}').toString("base64url")}.${fill("AAAA", length - 60)}.AAAA`,
    shapes: {
      "many parts": (length) => fill("a.", length),
      "many members": (length) =>
        `${Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: length / 20 }, (_, at) => [`m${at}`, at])))).toString("base64url")}.e30.AAAA`,
      deep: (length) => `${Buffer.from(`{"jwk":${"[".repeat(length / 4)}${"]".repeat(length / 4)}}`).toString("base64url")}.e30.AAAA`,
      "long address": (length) => {
        const claims = { jti: "j", htm: "POST", htu: `https://op.example/${fill("%2e%2E/", length / 3)}`, iat: 0 }
        const header = { typ: "dpop+jwt", alg: "ES256", jwk: { kty: "EC", crv: "P-256", x: "x".repeat(43), y: "y".repeat(43) } }
        return [header, claims, "s"].map((each) => Buffer.from(JSON.stringify(each)).toString("base64url")).join(".")
      },
    },
  },
  // Those of @postern/verify.
  sentToken: field((text) => judge(tracing(new Set()), presentation, sentToken(atApi(text), [{ scheme: "DPoP" }]))),
  "sentToken in a query": value((text) => judge(tracing(new Set()), presentation, sentToken(atApi("", text), [{ scheme: "DPoP" }]))),
  jwtForm: {
    ...field((text) => {
      const { header: head = {}, claims = {} } = wire.readJwt(text) ?? {}
      return judge(tracing(new Set()), jwtForm, { header: head, stated: claims, issuer: "https://op.example", algorithms: ["ES256"] })
    }),
    plain: plainJwt,
    shapes: {
      "many parts": (length) => fill("a.", length),
      "many members": (length) => `${jwtPart(manyMembers(length / 20))}.e30.AAAA`,
      deep: (length) => `${Buffer.from(`{"alg":${"[".repeat(length / 4)}${"]".repeat(length / 4)}}`).toString("base64url")}.e30.AAAA`,
    },
  },
  // The subject of a hint, once its signature was verified.
  readSubjectId: {
    ...value((text) => readSubjectId(wire.readObject(text) ?? null, "https://op.example"), 16_384),
    plain: (length) => JSON.stringify({ format: "email", email: plainForm(length - 40) }),
    shapes: {
      "many identifiers": (length) =>
        JSON.stringify({
          format: "aliases",
          identifiers: Array.from({ length: length / 30 }, () => ({ format: "email", email: "a@b.c" })),
        }),
      "digits alone": (length) => JSON.stringify({ format: "phone_number", phone_number: `+${fill("1", length - 60)}` }),
    },
  },
  // Claims that an issuer has signed, or answered with.
  tokenOf: {
    ...value((text) => {
      const claims = wire.readObject(text) ?? {}
      return [tokenOf(claims, "https://op.example"), claimFaults(claims), isKnownConfirmation(claims)]
    }, 16_384),
    plain: (length) =>
      `{${fill((at) => `"member_${1000 + at}":"https://app.example/cb",`, length - 100)}"end":"`.padEnd(length - 40, "x") +
      '","aud":"https://api.example"}',
    shapes: {
      "many scopes": (length) => JSON.stringify({ scope: fill("a ", length - 20) }),
      "many audiences": (length) => JSON.stringify({ aud: Array.from({ length: length / 4 }, () => "a") }),
      "many confirmations": (length) => JSON.stringify({ cnf: manyMembers(length / 12) }),
    },
  },
  requestReader: {
    ...value((text) => nodeRequest({ method: "GET", url: text, rawHeaders: text.split("&"), socket: {} } as never), 15_000),
    plain: (length) => `/notes&${fill((at) => `field-${at}&value&`, length - 7)}`,
    shapes: {
      ...values,
      "one field again and again": (length) => fill("dpop&a&", length),
      "no path": (length) => `http://${"a".repeat(length - 7)}`,
    },
  },
  "requestOf of fetch": {
    ...value((text) => ofFetch(new Request(`https://api.example/${text}`)), 8_000),
    shapes: { ...values, "dots and slashes": (length) => fill("%2e%2E/", length) },
  },
  readTarget: value((text) => readTarget(`http://${text}`), 8_000),
  callerAddress: field((text) => trusted("127.0.0.1", text)),
  ofClientCert: field((text) => ofClientCert(`:${text}:`)),
  ofNginx: field(ofNginx),
  ofHaproxy: field(ofHaproxy),
  ofAlbLeaf: field(ofAlbLeaf),
  ofAlbChain: {
    ...field(ofAlbChain),
    shapes: { ...headers, "many certificates": (length) => fill("-----END CERTIFICATE-----%0A", length) },
  },
  ofXfcc: {
    ...field(ofXfcc),
    plain: (length) => fill("ab=cd;", length),
    shapes: {
      ...headers,
      "many pairs": (length) => fill("a=b;", length),
      "an open quote": (length) => `Cert="${fill('\\"', length - 6)}`,
      "pairs without a delimiter": (length) => fill("a=", length),
    },
  },
  readCertificate: {
    ...value((text) => readCertificate(Buffer.from(text, "latin1")), 16_000),
    plain: (length) => sequenceOf("\u0002\u0001\u0001", length),
    shapes: { ...values, "many names": (length) => sequenceOf("\u0031\u0000", length) },
  },
  readDistinguishedName: {
    ...value(readDistinguishedName, words),
    plain: (length) => `CN=${plainForm(length - 3)}`,
    shapes: {
      ...values,
      "many parts": (length) => `${fill("CN=a,", length - 5)}CN=a`,
      escapes: (length) => `CN=${fill("\\20", length - 3)}`,
    },
  },
  addressBytes: value(addressBytes, 45),
  readAgent: value(readAgent, 200),
  negotiator: {
    ...field((text) => negotiate(wire.acceptedLocales(text.replaceAll("-AB", `-A${String.fromCharCode(65 + (round++ % 26))}`)))),
    plain: (length) => fill("de-CH;q=0.5, en;q=0.3, ", length),
  },
}

/** Functions that write, count, or are only given what was read. */
export const others = [
  "basePathOf",
  // It decodes bytes up to a bound, and whoever calls it parses the text.
  "boundedText",
  "certificateFields",
  "certificateForms",
  "cookieName",
  "isSecure",
  "unread",
  "encodeBase64Url",
  // Its forms are parsers above: ofClientCert, ofNginx, ofXfcc.
  "forwardedCertificate",
  "framingPolicy",
  "fromRequest",
  "longestBody",
  "longestJwt",
  "longestPage",
  "mostParameters",
  "normalIssuer",
  "occursMore",
  "pageHeaders",
  "pagePolicy",
  "pageStatus",
  "policyFaults",
  "protectedResourcePath",
  "protectedResourcePlace",
  "readPage",
  "requestIdHeader",
  "toResponse",
  "brokenOff",
  "tooLate",
  "tooLong",
  "withPageHeaders",
  "withParams",
  "writeCookie",
  "writeParams",
]
