/** A page of a feature: the name of its kind, and its model. */
export interface FeaturePage {
  /** A page that a feature declares. */
  readonly _tag: "Feature"
  /** The name of its kind; `modelOf` of the kind returns the typed model. */
  readonly name: string
  /** The values that the page shows. */
  readonly model: object
}

/**
 * A kind of page that a feature declares in `pages`, created with `pageKind`. The pages port identifies it by name and renders its model.
 */
export interface PageKind<Model extends object> {
  /** The unique name: that of the feature, optionally followed by a dash and a suffix. */
  readonly name: string
  /** Creates a page of this kind. */
  readonly page: (model: Model) => FeaturePage
  /** Returns the model of a page of this kind; undefined for any other page. */
  readonly modelOf: (page: { readonly _tag: string }) => Model | undefined
}

/**
 * Defines a kind of page by its name and the type of its model.
 *
 * ```ts
 * interface Approval { readonly form: Form; readonly amount: string }
 * export const approval = pageKind<Approval>("payments-approval")
 * show(approval.page({ form: formOf("/payments", browser), amount: "12.50 EUR" }), browser.cookies)
 * ```
 */
export const pageKind = <Model extends object>(name: string): PageKind<Model> => {
  const models = new WeakMap<object, Model>()
  return {
    name,
    page: (model) => {
      const page: FeaturePage = { _tag: "Feature", name, model }
      models.set(page, model)
      return page
    },
    modelOf: (page) => models.get(page),
  }
}
