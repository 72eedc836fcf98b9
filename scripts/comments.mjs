// Plain English as a lint rule: a comment opens with a verb or with its noun.

const opening = /^\s*(?:What|Who|Whom|Whose|How|Where|When|Whether|That|Which|Why)\b/

/** Comments of line comments in a row are one: only the first of them opens it. */
const opens = (comment, before) => comment.type === "Block" || before?.type !== "Line" || before.loc.end.line !== comment.loc.start.line - 1

export const comments = {
  meta: { type: "problem" },
  create: (context) => ({
    Program: () => {
      const all = context.sourceCode.getAllComments()
      all.forEach((comment, at) => {
        const word = opening.exec(comment.value.replace(/^\*?\s*(?:\*\s*)?/, ""))?.[0]
        if (word === undefined || !opens(comment, all[at - 1])) return
        context.report({
          loc: comment.loc,
          message: `A comment opens with a verb in the third person or with its noun, not with “${word}”.`,
        })
      })
    },
  }),
}
