import {
  acceptedLocales,
  cookieName,
  isForm,
  isLocale,
  pageHeaders,
  pagePolicy,
  readCookie,
  wantedLocales,
  writeCookie,
} from "@postern/core/wire"
import { describe, expect, test } from "vitest"

const https = "https://op.example"
const http = "http://127.0.0.1:8080"

describe("cookies", () => {
  test.each([
    [https, "__Host-postern-session"],
    [`${https}/`, "__Host-postern-session"],
    [http, "postern-session-8080"],
    ["http://[::1]:8080", "postern-session-8080"],
    ["https://op.example/a/b", "__Host-postern-session-_2f_a_2f_b"],
    ["https://op.example:8443/a", "__Host-postern-session-8443_2f_a"],
    ["https://op.example/a?x#y", "__Host-postern-session-_2f_a"],
    ["HTTPS://op.example:444", "postern-session-444"],
  ])("RFC 6265bis §4.1.3.2, RFC 6265 §8.5: of the issuer %s the session's cookie is %s", (issuer, name) => {
    expect(cookieName("session", issuer)).toBe(name)
  })

  const name = "__Host-postern-session"
  test.each([
    [undefined, undefined],
    ["", undefined],
    [`${name}=v`, "v"],
    [`${name}=`, ""],
    [`a=b; ${name}=v`, "v"],
    [`a=b;${name}=v;c=d`, "v"],
    [`a=b;\t ${name}=v \t;c=d`, "v"],
    [` ${name}=v`, "v"],
    [`${name}=first; ${name}=second`, "first"],
    [`x${name}=v`, undefined],
    [`a=${name}=v`, undefined],
    [`x${name}=v; ${name}=mine`, "mine"],
    [`a ${name}=v`, undefined],
    [`${name}x=v`, undefined],
  ])("RFC 6265 §4.2.1, §5.4: of the header %j the cookie is %j", (header, value) => {
    expect(readCookie(header, "session", https)).toBe(value)
  })

  test("RFC 6265bis §4.1: a cookie is bound to its host, kept from scripts and other sites, and Secure over https", () => {
    expect(writeCookie({ name: "session", value: "v" }, https)).toBe("__Host-postern-session=v; Path=/; HttpOnly; SameSite=Lax; Secure")
    expect(writeCookie({ name: "browser", value: "v", maxAge: 0 }, http)).toBe(
      "postern-browser-8080=v; Path=/; HttpOnly; SameSite=Lax; Max-Age=0",
    )
  })
})

describe("languages", () => {
  test.each([
    [undefined, []],
    ["", []],
    ["de", ["de"]],
    ["de, en", ["de", "en"]],
    ["en;q=0.5, de;q=0.9, fr", ["fr", "de", "en"]],
    ["en; q=0.5 , de ; q=0.9", ["de", "en"]],
    ["de;level=1;q=0.1,en;q=0.2", ["en", "de"]],
    ["de;q=0, en", ["en"]],
    ["de;q=x, en", ["en"]],
    ["de;q=-1, en", ["en"]],
    ["*, en", ["en"]],
    [`${"x".repeat(65)}, en`, ["en"]],
    [`en;q=${"0".repeat(58)}1`, ["en"]],
    [`en;q=${"0".repeat(59)}1`, []],
    [Array.from({ length: 30 }, (_, at) => `de-${at}`).join(","), Array.from({ length: 10 }, (_, at) => `de-${at}`)],
    [`${"*,".repeat(20)}en`, []],
    [`${"*,".repeat(19)}en`, ["en"]],
  ])("RFC 9110 §12.5.4: Accept-Language %j asks for %j", (header, wanted) => {
    expect(acceptedLocales(header)).toEqual(wanted)
  })

  test.each([
    [undefined, []],
    ["", []],
    ["de", ["de"]],
    ["fr-CA fr en", ["fr-CA", "fr", "en"]],
    ["de  en", ["de", "en"]],
    ["../.. de", ["de"]],
    [Array.from({ length: 15 }, (_, at) => `de-${at}`).join(" "), Array.from({ length: 10 }, (_, at) => `de-${at}`)],
    [`${"* ".repeat(20)}en`, []],
    [`${"* ".repeat(19)}en`, ["en"]],
  ])("OpenID Connect Core §3.1.2.1: ui_locales %j asks for %j", (parameter, wanted) => {
    expect(wantedLocales(parameter)).toEqual(wanted)
  })

  test.each(["de", "de-CH", "zh-Hant-TW", "sl-rozaj-biske-1994", "abcdefgh", "de-1-2-3-4"])("BCP 47 §2.1: %s is a language tag", (tag) => {
    expect(isLocale(tag)).toBe(true)
  })

  test.each(["", "d", "abcdefghi", "de-", "-de", "de_CH", "de-123456789", "de-1-2-3-4-5", "1e", "de CH", " de", "de\n"])(
    "BCP 47 §2.1: %j is no language tag",
    (tag) => {
      expect(isLocale(tag)).toBe(false)
    },
  )
})

test.each([
  [undefined, false],
  ["", false],
  ["application/x-www-form-urlencoded", true],
  ["application/x-www-form-urlencoded; charset=UTF-8", true],
  ["Application/X-WWW-Form-Urlencoded ;charset=UTF-8", true],
  ["application/json", false],
  ["text/plain; application/x-www-form-urlencoded", false],
])("RFC 6749 appendix B: the type %j is a form's: %s", (type, expected) => {
  expect(isForm(type)).toBe(expected)
})

test("CSP Level 3 §6: a page loads what the provider serves, runs what has its nonce, and stands in nobody's frame", () => {
  expect(pagePolicy("n").split("; ")).toEqual([
    "default-src 'none'",
    "script-src 'nonce-n'",
    "style-src 'self' 'nonce-n'",
    "img-src 'self' https: data:",
    "font-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ])
})

test("RFC 9700 §4.16: every page says what it is, what it may load, and that it stands in nobody's frame, also where the policy is not known", () => {
  expect(pageHeaders("n")).toEqual([
    ["content-type", "text/html; charset=utf-8"],
    ["content-security-policy", pagePolicy("n")],
    ["x-frame-options", "DENY"],
  ])
})
