import { type ExtensionRequest, extensionGrant, pass, refuse, table } from "@postern/core"

const parameters = { word: "required" } as const

/** An operator's own grant: whoever knows the word may have a token of the person it names. */
export default extensionGrant({
  name: "https://grants.example.com/word",
  parameters,
  rules: table<ExtensionRequest<typeof parameters>>("token/word").rule("word.right", "house rule 1", (s) =>
    s.parameters.word === "open sesame" ? pass : refuse("invalid_grant", "The word is not right.", "another word"),
  ),
  load: () => ({}),
  grant: () => ({ subject: "sub-alice" }),
})
