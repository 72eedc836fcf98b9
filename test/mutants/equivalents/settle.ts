import type { Listed } from "../equivalent.ts"

const forTheType = "the value is never missing: the check is there for the type alone"
const sparesRead = "nothing is found without a key: the check spares the read"
const sparesLoop = "what is there already is taken at once to spare Effect's run loop; it comes to the same"

const inTurn = "what is found one after the other is the same"

/** Mutants of the area settle that change nothing. */
export const settle: Listed = {
  "packages/core/src/settle/accessToken.ts": {
    "without claims there is nothing to answer": [['""', '"Stryker was here!"', 'const jti = claims === undefined ? ""']],
    [sparesRead]: [["grantId === undefined", "false", "const grant = grantId === undefined"]],
  },
  "packages/core/src/settle/replaced.ts": {
    [inTurn]: [["{ concurrency: 8 }", "{}"]],
  },
  "packages/core/src/settle/signedInTo.ts": { [inTurn]: [["{ concurrency: 8 }", "{}"]] },
  "packages/core/src/settle/signOut.ts": {
    [inTurn]: [
      ['{ concurrency: "unbounded" }', "{}"],
      ['"unbounded"', '""'],
    ],
    "where nobody has anything to say, or of nothing, there is nothing to add": [
      ["endings.length === 0 || live.length === 0", "false"],
      ["endings.length === 0", "false", "endings.length === 0 || live.length === 0"],
    ],
  },
  "packages/core/src/settle/browser.ts": {
    [forTheType]: [['""', '"Stryker was here!"', 'known ?? fresh ?? { locator: "", secret: "" }']],
  },
  "packages/core/src/settle/client.ts": {
    [forTheType]: [
      ['""', '"Stryker was here!"', "noClient(clientId"],
      ['end.decision._tag === "RefuseJson"', "true"],
    ],
    "a member that is absent is undefined too": [["{ failures: undefined }", "{}"]],
    [sparesRead]: [["clientId === undefined", "false", "return onward(clientId === undefined"]],
    "a key that is remembered is the one that would be made again, and nobody sees how many are": [
      ["key !== undefined", "false"],
      ["client === undefined", "true", "if (client === undefined) return made"],
      ["known.size >= mostAddresses", "true"],
      ["known.size >= mostAddresses", "false"],
      ["known.size >= mostAddresses", "known.size > mostAddresses"],
      ["known.size >= mostAddresses", "known.size < mostAddresses"],
      ["known.clear()", ";"],
      ["failuresKeys.set(client, known.set(address, made))", ";"],
    ],
  },
  "packages/core/src/settle/knownDevice.ts": {
    "text that is no earlier sign-in is passed over": [
      ['""', '"Stryker was here!"', "readCookie("],
      ["[]", '["Stryker was here"]', ".exec(text) ?? []"],
    ],
    "a text has all of the parts or none: the checks are there for the types alone": [
      [
        "id === undefined || expiresAt === undefined || seal === undefined",
        "(id === undefined || expiresAt === undefined) && seal === undefined",
      ],
      ["id === undefined || expiresAt === undefined", "false"],
      ["id === undefined || expiresAt === undefined", "id === undefined && expiresAt === undefined"],
      ["id === undefined", "false"],
      ["expiresAt === undefined", "false"],
      ["seal === undefined", "false"],
    ],
  },
  "packages/core/src/settle/rate.ts": {
    "without a limiter nothing is taken, whoever asks": [
      ["limiter === undefined", "false", "const from ="],
      ["limiter?.take", "limiter.take"],
    ],
  },
  "packages/core/src/settle/remote.ts": {
    "only a fetched document has a status": [['answer._tag === "Fetched"', "true"]],
    "keys that are stated are the same when they are asked for again": [["source.jwksUri === undefined", "false"]],
  },
  "packages/core/src/settle/reserve.ts": {
    [sparesRead]: [["key === undefined", "false"]],
    "counts that are read one after the other are the same": [
      ['{ concurrency: "unbounded" }', "{}"],
      ['"unbounded"', '""'],
    ],
    "a commit of nothing changes nothing": [["commands.length === 0", "false"]],
    [sparesLoop]: [["isValue(effect)", "false"]],
  },
  "packages/core/src/settle/sector.ts": {
    "no time is later than none": [["verifiedAt !== undefined", "true"]],
    "the document is kept for longer than the second in which it was read": [["now >= verifiedAt", "now > verifiedAt"]],
    "only for a client that was verified before is a failure passed over, and its reason is not told": [
      ["{ body: undefined, reason: message }", "{}"],
    ],
  },
  "packages/core/src/settle/sentOn.ts": {
    "a request that long takes more characters as a URL than its rule lets pass: the check spares writing it": [
      ["body.length > longestRequest", "false"],
      ["body.length > longestRequest", "body.length >= longestRequest"],
    ],
  },
  "packages/core/src/settle/settle.ts": {
    "a copy of a list holds the same": [["changes.length === 0 && spent.length === 0", "false"]],
  },
  "packages/core/src/settle/stage.ts": {
    "what is seen is assigned to itself": [["more === seen", "false"]],
    "a read that is complete goes on in the same way": [["isValue(read)", "false"]],
    "the same names are learned again": [
      ["names.length <= most", "false"],
      ["names.length <= most", "names.length < most"],
    ],
  },
  "packages/core/src/settle/upstream.ts": {
    "no word of it is one that is sent on": [['""', '"Stryker was here!"', "scopeWords(params.one"]],
    "whatever waits has its secret sealed: the checks are there for the types alone": [
      ["waiting === undefined || sealed === undefined", "waiting === undefined && sealed === undefined"],
      ["waiting === undefined", "false", "sealed === undefined ? undefined"],
      ["sealed === undefined", "false"],
    ],
  },
  "packages/core/src/settle/ways.ts": {
    "a way in is a type; its value is not looked at": [
      ["{ from: (seen) => seen }", "{}"],
      ["(seen) => seen", "() => undefined"],
    ],
  },
}
