import { basePathOf, normalIssuer } from "@postern/core/wire"
import { expect, it } from "vitest"

it.each([
  ["https://op.example", "https://op.example"],
  ["https://op.example/", "https://op.example"],
  ["https://op.example/a/b", "https://op.example/a/b"],
  ["https://op.example/a/", "https://op.example/a"],
  ["https://op.example:8443/a", "https://op.example:8443/a"],
  ["https://op.example:443/a", "https://op.example/a"],
  ["http://op.example:80", "http://op.example"],
  ["https://op.example:", "https://op.example"],
  ["https://OP.example/A", "https://op.example/A"],
  ["https://op.example/a/../b/./c", "https://op.example/b/c"],
  ["https://op.example/a//b///c//", "https://op.example/a/b/c"],
  ["https://op.example//", "https://op.example"],
  ["https://op.example/https://op.example", "https://op.example/https:/op.example"],
  ["https://op.examplehttps://op.example", "https://op.examplehttps/op.example"],
  ["https://[0:0::1]/a", "https://[::1]/a"],
  ["https://127.1", "https://127.0.0.1"],
  ["https://op.example/a?b#c", "https://op.example/a"],
  ["op.example", undefined],
  ["https://op.example:99999", undefined],
])("RFC 3986 §6.2: the normal form of %s is %s", (issuer, form) => {
  expect(normalIssuer(issuer)).toBe(form)
})

it.each([
  ["https://op.example", ""],
  ["https://op.example/", ""],
  ["https://op.example/a", "/a"],
  ["https://op.example:8443/a/b/", "/a/b"],
  ["HTTPS://op.example/a?b", "/a"],
  ["https://op.example/a#b", "/a"],
  ["op.example/a", ""],
])("RFC 8414 §3.1: the path of %s is %s", (issuer, path) => {
  expect(basePathOf(issuer)).toBe(path)
})
