import { peerAlgorithms, secretAlgorithms } from "../model/index.ts"

/** The algorithm in a header that a client sent, for the trail: `unsigned` for `none`, `another` for an unknown one, whose text is not trusted. */
export const toldAlgorithm = (alg: unknown): string =>
  alg === "none" ? "unsigned" : ([...peerAlgorithms, ...secretAlgorithms].find((each) => each === alg) ?? "another")
