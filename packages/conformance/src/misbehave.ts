export * from "./misbehave/index.ts"
export { type FaultVerdicts, type StartOptions, startPostern, type TestProvider } from "./provider/index.ts"
