import { frozen } from "./frozen.ts"

/** The response mode `form_post`. */
export const formPost = frozen(
  "form-post",
  "Answers by a form that sends itself",
  `
    response.code-form-post response.id-token-form-post response.id-token-token-form-post response.code-id-token-form-post
    response.code-token-form-post response.code-id-token-token-form-post
  `,
)
