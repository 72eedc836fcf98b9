// Re-exports the members of `yaml` in use. The package is CommonJS; imported dynamically from a split bundle, it would have only its
// default export.
export { isMap, isNode, isScalar, parseDocument, stringify, visit } from "yaml"
