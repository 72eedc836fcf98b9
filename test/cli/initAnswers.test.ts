import { expect, test } from "vitest"
import { answerFault, defaultAnswers } from "../../packages/cli/src/init/answers.ts"

test("a fault of an answer is a sentence, whether its message begins with the setting or with the name of a file", async () => {
  const tls = { key_file: "./nowhere/key.pem", cert_file: "./nowhere/cert.pem" }
  const about = (choices: object, key: "issuer" | "tls.key_file" | "data") =>
    answerFault("postern.json", { ...defaultAnswers, ...choices }, key)
  await expect(about({ tls }, "tls.key_file")).resolves.toMatch(/^\.\/nowhere\/key\.pem cannot be read: check that it exists/)
  await expect(about({ issuer: "http://id.example.com" }, "issuer")).resolves.toMatch(/^It is http: use https/)
  await expect(about({ data: "mysql://db" }, "data")).resolves.toMatch(/^mysql: is not a store of this version: name a folder/)
  await expect(about({}, "data")).resolves.toBe(undefined)
})
