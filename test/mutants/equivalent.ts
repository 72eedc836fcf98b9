/** A mutant that no test can notice, since nothing that anyone can see changes. */
export interface Equivalent {
  readonly file: string
  readonly original: string
  readonly replacement: string
  readonly because: string
}

/** Every mutant that was looked at and found to change nothing. An entry that matches no survivor any more fails the run. */
export const equivalents: ReadonlyArray<Equivalent> = [
  {
    file: "packages/core/src/wire/address.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/cookie.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/locales.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/address.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/address.ts",
    original: "tail === undefined",
    replacement: "false",
    because: "without `::` there are eight groups, and so no zeros to add",
  },
  {
    file: "packages/core/src/wire/address.ts",
    original: "left?.length ?? 0",
    replacement: "left?.length && 0",
    because: "the groups counted too many are cut off again",
  },
  {
    file: "packages/core/src/wire/address.ts",
    original: "left?.length",
    replacement: "left.length",
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/address.ts",
    original: "right?.length",
    replacement: "right.length",
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/base64url.ts",
    original: "bytes.toBase64 === undefined",
    replacement: "true",
    because: "the engine's own codec and Effect's do the same; an engine has it or not",
  },
  {
    file: "packages/core/src/wire/base64url.ts",
    original: "bytes.toBase64 === undefined",
    replacement: "false",
    because: "the engine's own codec and Effect's do the same; an engine has it or not",
  },
  {
    file: "packages/core/src/wire/base64url.ts",
    original: "engine.fromBase64 === undefined",
    replacement: "true",
    because: "the engine's own codec and Effect's do the same; an engine has it or not",
  },
  {
    file: "packages/core/src/wire/base64url.ts",
    original: "engine.fromBase64 === undefined",
    replacement: "false",
    because: "the engine's own codec and Effect's do the same; an engine has it or not",
  },
  {
    file: "packages/core/src/wire/base64url.ts",
    original: "{\n    return undefined\n  }",
    replacement: "{}",
    because: "a function without a return answers undefined too",
  },
  {
    file: "packages/core/src/wire/jwt.ts",
    original: "{\n    return undefined\n  }",
    replacement: "{}",
    because: "a function without a return answers undefined too",
  },
  {
    file: "packages/core/src/wire/cookie.ts",
    original: "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i",
    replacement: "/[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i",
    because: "an issuer begins with its scheme",
  },
  {
    file: "packages/core/src/wire/cookie.ts",
    original: "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i",
    replacement: "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d))?([^?#]*)/i",
    because: "the digits left over are taken as the path, and written the same",
  },
  {
    file: "packages/core/src/wire/cookie.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/cookie.ts",
    original: "end < 0",
    replacement: "end <= 0",
    because: "the first character is the name's, so a semicolon is never found at 0",
  },
  {
    file: "packages/core/src/wire/cookie.ts",
    original: "before >= 0",
    replacement: "true",
    because: "before the first character there is none, which is neither space nor tab",
  },
  {
    file: "packages/core/src/wire/jwt.ts",
    original: "part === undefined",
    replacement: "false",
    because: "`undefined` is no base64url of an object",
  },
  {
    file: "packages/core/src/wire/jwt.ts",
    original: "part.length % 4 === 1",
    replacement: "false",
    because: "atob refuses such a length itself; the check spares a throw",
  },
  {
    file: "packages/core/src/wire/jwt.ts",
    original: "part.length % 4",
    replacement: "part.length * 4",
    because: "atob refuses such a length itself; the check spares a throw",
  },
  {
    file: "packages/core/src/wire/jwt.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    because: "a header that is text is no JWT either",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: "one(name) === undefined",
    replacement: "false",
    because: "a name without a value has no pairs",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: "text.length <= most",
    replacement: "false",
    because: "a shorter text runs out of marks by itself; the check spares the search",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: "text.length <= most",
    replacement: "text.length < most",
    because: "a text of that length has at most so many marks",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: "-1",
    replacement: "+1",
    because: "the first mark of so many is not the one that ends",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: 'text === ""',
    replacement: "false",
    because: "empty text has no pairs, whichever way it is read",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    because: "empty text has no pairs, whichever way it is read",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: "contentType === form",
    replacement: "false",
    because: "the usual spelling is compared first to spare the work of the other; it reads the same",
  },
  {
    file: "packages/core/src/wire/params.ts",
    original: 'contentType?.split(";", 1)[0]?.trim',
    replacement: 'contentType?.split(";", 1)[0].trim',
    because: "the value is never missing: the default is there for the type alone",
  },
  {
    file: "packages/core/src/wire/web.ts",
    original: 'request.method === "GET" || request.method === "HEAD"',
    replacement: "false",
    because: "a GET or HEAD request has no body to read: the check spares the wait",
  },
  {
    file: "packages/core/src/wire/web.ts",
    original: 'request.method === "GET" || request.method === "HEAD"',
    replacement: 'request.method === "GET" && request.method === "HEAD"',
    because: "a GET or HEAD request has no body to read: the check spares the wait",
  },
  {
    file: "packages/core/src/wire/web.ts",
    original: 'request.method === "GET"',
    replacement: "false",
    because: "a GET or HEAD request has no body to read: the check spares the wait",
  },
  {
    file: "packages/core/src/wire/web.ts",
    original: 'request.method === "HEAD"',
    replacement: "false",
    because: "a GET or HEAD request has no body to read: the check spares the wait",
  },
  {
    file: "packages/core/src/wire/web.ts",
    original: '"GET"',
    replacement: '""',
    because: "a GET or HEAD request has no body to read: the check spares the wait",
  },
  {
    file: "packages/core/src/wire/web.ts",
    original: '"HEAD"',
    replacement: '""',
    because: "a GET or HEAD request has no body to read: the check spares the wait",
  },
]
