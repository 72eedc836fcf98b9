/** One run of a certification plan: which answer it asks for, and how it is to come back. */
export interface Plan {
  /** As test titles name it, such as `oidcc-hybrid (code token)`. */
  readonly name: string
  readonly kind: "basic" | "implicit" | "hybrid"
  readonly responseType: string
  readonly formPost: boolean
}

const kinds = [
  ["basic", ["code"]],
  ["implicit", ["id_token", "id_token token"]],
  ["hybrid", ["code id_token", "code token", "code id_token token"]],
] as const

const plansOf = (formPost: boolean): ReadonlyArray<Plan> =>
  kinds.flatMap(([kind, types]) =>
    types.map((responseType) => ({
      name: `oidcc-${formPost ? "formpost-" : ""}${kind}${kind === "basic" ? "" : ` (${responseType})`}`,
      kind,
      responseType,
      formPost,
    })),
  )

/** The plans whose answers come in the mode that is each response type's own. */
export const plainPlans = plansOf(false)

/** The same with response_mode=form_post. */
export const formPostPlans = plansOf(true)

/** Tells if a plan's answers carry a `code`, an `id_token` or a `token`. */
export const gives = ({ responseType }: Plan, word: "code" | "id_token" | "token"): boolean => responseType.split(" ").includes(word)

/** Tells if there is an access token, from either endpoint. */
export const hasAccessToken = (plan: Plan): boolean => gives(plan, "code") || gives(plan, "token")

/** The mode in which a plan's answers must come. */
export const modeOf = (plan: Plan): "query" | "fragment" | "form_post" =>
  plan.formPost ? "form_post" : plan.responseType === "code" ? "query" : "fragment"
