import { type Equivalent, equivalentIn } from "../equivalent.ts"

/** Mutants of the area wire that change nothing. */
export const wire: ReadonlyArray<Equivalent> = [
  ...equivalentIn("packages/core/src/wire/address.ts", [
    {
      on: 'const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::")',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "the value is never missing: the default is there for the type alone",
    },
    {
      on: 'const [left, right] = [head, tail ?? ""].map((half) => half.split(":").filter((group) => group !== ""))',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "the value is never missing: the default is there for the type alone",
    },
    { original: "tail === undefined", replacement: "false", because: "without `::` there are eight groups, and so no zeros to add" },
    {
      original: "left?.length",
      replacement: "left.length",
      because: "the value is never missing: the default is there for the type alone",
    },
    {
      original: "right?.length",
      replacement: "right.length",
      because: "the value is never missing: the default is there for the type alone",
    },
    { original: "[]", replacement: '["Stryker was here"]', because: "the value is never missing: the default is there for the type alone" },
  ]),
  ...equivalentIn("packages/core/src/wire/base64url.ts", [
    {
      original: "bytes.toBase64 === undefined",
      replacement: "true",
      because: "the engine's own codec and Effect's do the same; an engine has it or not",
    },
    {
      original: "bytes.toBase64 === undefined",
      replacement: "false",
      because: "the engine's own codec and Effect's do the same; an engine has it or not",
    },
    {
      original: "engine.fromBase64 === undefined",
      replacement: "true",
      because: "the engine's own codec and Effect's do the same; an engine has it or not",
    },
    {
      original: "engine.fromBase64 === undefined",
      replacement: "false",
      because: "the engine's own codec and Effect's do the same; an engine has it or not",
    },
    { original: "{\n    return undefined\n  }", replacement: "{}", because: "a function without a return answers undefined too" },
  ]),
  ...equivalentIn("packages/core/src/wire/cookie.ts", [
    {
      on: 'const [, port = "", path = ""] = /^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i.exec(issuer) ?? []',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "the value is never missing: the default is there for the type alone",
    },
    {
      original: "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i",
      replacement: "/[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i",
      because: "an issuer begins with its scheme",
    },
    {
      original: "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i",
      replacement: "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d))?([^?#]*)/i",
      because: "the digits left over are taken as the path, and written the same",
    },
    {
      on: 'const [, port = "", path = ""] = /^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i.exec(issuer) ?? []',
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "the value is never missing: the default is there for the type alone",
    },
    { original: "end < 0", replacement: "end <= 0", because: "the first character is the name's, so a semicolon is never found at 0" },
    { original: "before >= 0", replacement: "true", because: "before the first character there is none, which is neither space nor tab" },
  ]),
  ...equivalentIn("packages/core/src/wire/jwt.ts", [
    { original: "part === undefined", replacement: "false", because: "`undefined` is no base64url of an object" },
    { original: "part.length % 4 === 1", replacement: "false", because: "atob refuses such a length itself; the check spares a throw" },
    { original: "part.length % 4", replacement: "part.length * 4", because: "atob refuses such a length itself; the check spares a throw" },
    { original: "{\n    return undefined\n  }", replacement: "{}", because: "a function without a return answers undefined too" },
    {
      on: "const parts = jwt.length > longestJwt ? [] : jwtParts(jwt)",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "a header that is text is no JWT either",
    },
    {
      on: "const [header, claims] = parts.length === 3 ? [readJwtPart(parts[0]), readJwtPart(parts[1])] : []",
      original: "[]",
      replacement: '["Stryker was here"]',
      because: "a header that is text is no JWT either",
    },
  ]),
  ...equivalentIn("packages/core/src/wire/locales.ts", [
    {
      on: '(header ?? "")',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "the value is never missing: the default is there for the type alone",
    },
    {
      on: 'const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim())',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "the value is never missing: the default is there for the type alone",
    },
  ]),
  ...equivalentIn("packages/core/src/wire/params.ts", [
    { original: "one(name) === undefined", replacement: "false", because: "a name without a value has no pairs" },
    {
      original: "text.length <= most",
      replacement: "false",
      because: "a shorter text runs out of marks by itself; the check spares the search",
    },
    { original: "text.length <= most", replacement: "text.length < most", because: "a text of that length has at most so many marks" },
    { on: "let end = -1", original: "-1", replacement: "+1", because: "the first mark of so many is not the one that ends" },
    {
      on: 'text === "" ? none : from((take) => new URLSearchParams(`&${readable(text)}`).forEach((value, name) => take(name, value)))',
      original: 'text === ""',
      replacement: "false",
      because: "empty text has no pairs, whichever way it is read",
    },
    {
      on: 'text === "" ? none : from((take) => new URLSearchParams(`&${readable(text)}`).forEach((value, name) => take(name, value)))',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "empty text has no pairs, whichever way it is read",
    },
    {
      on: 'text === "" ? [] : [...new URLSearchParams(`&${readable(text)}`)]',
      original: 'text === ""',
      replacement: "false",
      because: "empty text has no pairs, whichever way it is read",
    },
    {
      on: 'text === "" ? [] : [...new URLSearchParams(`&${readable(text)}`)]',
      original: '""',
      replacement: '"Stryker was here!"',
      because: "empty text has no pairs, whichever way it is read",
    },
    {
      original: "contentType === form",
      replacement: "false",
      because: "the usual spelling is compared first to spare the work of the other; it reads the same",
    },
    {
      original: 'contentType?.split(";", 1)[0]?.trim',
      replacement: 'contentType?.split(";", 1)[0].trim',
      because: "the value is never missing: the default is there for the type alone",
    },
  ]),
  ...equivalentIn("packages/core/src/wire/web.ts", [
    {
      original: 'request.method === "GET" || request.method === "HEAD"',
      replacement: "false",
      because: "a GET or HEAD request has no body to read: the check spares the wait",
    },
    {
      original: 'request.method === "GET" || request.method === "HEAD"',
      replacement: 'request.method === "GET" && request.method === "HEAD"',
      because: "a GET or HEAD request has no body to read: the check spares the wait",
    },
    {
      original: 'request.method === "GET"',
      replacement: "false",
      because: "a GET or HEAD request has no body to read: the check spares the wait",
    },
    { original: '"GET"', replacement: '""', because: "a GET or HEAD request has no body to read: the check spares the wait" },
    {
      original: 'request.method === "HEAD"',
      replacement: "false",
      because: "a GET or HEAD request has no body to read: the check spares the wait",
    },
    {
      on: 'const body = request.method === "GET" || request.method === "HEAD" ? "" : await readBody(request)',
      original: '"HEAD"',
      replacement: '""',
      because: "a GET or HEAD request has no body to read: the check spares the wait",
    },
  ]),
]
