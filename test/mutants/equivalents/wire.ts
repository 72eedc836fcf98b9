import type { Listed } from "../equivalent.ts"

/** Mutants of the area wire that change nothing. */
export const wire: Listed = {
  "packages/core/src/wire/address.ts": {
    "the value is never missing: the default is there for the type alone": [
      ['""', '"Stryker was here!"', 'const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::")'],
      [
        '""',
        '"Stryker was here!"',
        'const [left, right] = [head, tail ?? ""].map((half) => half.split(":").filter((group) => group !== ""))',
      ],
      ["left?.length", "left.length"],
      ["right?.length", "right.length"],
      ["[]", '["Stryker was here"]'],
    ],
    "without `::` there are eight groups, and so no zeros to add": [["tail === undefined", "false"]],
  },
  "packages/core/src/wire/base64url.ts": {
    "the engine's own codec and Effect's do the same; an engine has it or not": [
      ["bytes.toBase64 === undefined", "true"],
      ["bytes.toBase64 === undefined", "false"],
      ["engine.fromBase64 === undefined", "true"],
      ["engine.fromBase64 === undefined", "false"],
    ],
    "a function without a return answers undefined too": [["{\n    return undefined\n  }", "{}"]],
  },
  "packages/core/src/wire/cookie.ts": {
    "the value is never missing: the default is there for the type alone": [
      [
        '""',
        '"Stryker was here!"',
        'const [, port = "", path = ""] = /^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i.exec(issuer) ?? []',
      ],
      [
        "[]",
        '["Stryker was here"]',
        'const [, port = "", path = ""] = /^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i.exec(issuer) ?? []',
      ],
    ],
    "an issuer begins with its scheme": [
      ["/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i", "/[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i"],
    ],
    "the digits left over are taken as the path, and written the same": [
      ["/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d+))?([^?#]*)/i", "/^[a-z]+:\\/\\/(?:\\[[^\\]]*\\]|[^/:?#]*)(?::(\\d))?([^?#]*)/i"],
    ],
    "the first character is the name's, so a semicolon is never found at 0": [["end < 0", "end <= 0"]],
    "before the first character there is none, which is neither space nor tab": [["before >= 0", "true"]],
  },
  "packages/core/src/wire/jwt.ts": {
    "`undefined` is no base64url of an object": [["part === undefined", "false"]],
    "a header that is text is no JWT either": [
      ["[]", '["Stryker was here"]', "const parts = jwt.length > longestJwt ? [] : jwtParts(jwt)"],
      ["[]", '["Stryker was here"]', "const [header, claims] = parts.length === 3 ? [readJwtHeader(parts[0]), readJwtPart(parts[1])] : []"],
    ],
  },
  "packages/core/src/wire/locales.ts": {
    "the value is never missing: the default is there for the type alone": [
      ['""', '"Stryker was here!"', '(header ?? "")'],
      ['""', '"Stryker was here!"', 'const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim())'],
    ],
  },
  "packages/core/src/wire/params.ts": {
    "a name without a value has no pairs": [["one(name) === undefined", "false"]],
    "a shorter text runs out of marks by itself; the check spares the search": [["text.length <= most", "false"]],
    "a text of that length has at most so many marks": [["text.length <= most", "text.length < most"]],
    "the first mark of so many is not the one that ends": [["-1", "+1", "let end = -1"]],
    "empty text has no pairs, whichever way it is read": [
      [
        'text === ""',
        "false",
        'text === "" ? none : from((take) => new URLSearchParams(`&${readable(text)}`).forEach((value, name) => take(name, value)))',
      ],
      [
        '""',
        '"Stryker was here!"',
        'text === "" ? none : from((take) => new URLSearchParams(`&${readable(text)}`).forEach((value, name) => take(name, value)))',
      ],
      ['text === ""', "false", 'text === "" ? [] : [...new URLSearchParams(`&${readable(text)}`)]'],
      ['""', '"Stryker was here!"', 'text === "" ? [] : [...new URLSearchParams(`&${readable(text)}`)]'],
    ],
    "the usual spelling is compared first to spare the work of the other; it reads the same": [["contentType === form", "false"]],
    "the value is never missing: the default is there for the type alone": [
      ['contentType?.split(";", 1)[0]?.trim', 'contentType?.split(";", 1)[0].trim'],
    ],
  },
  "packages/core/src/wire/web.ts": {
    "a GET or HEAD request has no body to read: the check spares the wait": [
      ['request.method === "GET" || request.method === "HEAD"', "false"],
      ['request.method === "GET" || request.method === "HEAD"', 'request.method === "GET" && request.method === "HEAD"'],
      ['request.method === "GET"', "false"],
      ['"GET"', '""'],
      ['request.method === "HEAD"', "false"],
      ['"HEAD"', '""', 'const body = request.method === "GET" || request.method === "HEAD" ? "" : await readBody(request, begun)'],
    ],
  },
}
