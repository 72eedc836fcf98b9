// The members of `yaml` that are used here, as a module of our own. The package is CommonJS: imported at run time out of a split bundle, it
// would be there with its default export alone.
export { isMap, isNode, isScalar, parseDocument, stringify, visit } from "yaml"
