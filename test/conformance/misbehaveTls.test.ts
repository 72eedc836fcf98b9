import { request } from "node:https"
import { startMisbehaving } from "@postern/conformance/misbehave"
import { expect, it, onTestFinished } from "vitest"
import { pem } from "../cli/pem.ts"

const metadataAt = (issuer: string, ca: string): Promise<Readonly<Record<string, string>>> =>
  new Promise((resolve, reject) => {
    const url = new URL(`${issuer}/.well-known/openid-configuration`)
    // The provider listens on 127.0.0.1 alone; a name may stand for ::1 as well.
    request({ host: "127.0.0.1", servername: "localhost", port: url.port, path: url.pathname, ca }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      answer.on("end", () => resolve(JSON.parse(text) as Readonly<Record<string, string>>))
    })
      .on("error", reject)
      .end()
  })

it("metadata.endpoint-plain: an issuer of https announces an endpoint without TLS, and sees who uses it (RFC 6749 §3.2)", async () => {
  const tls = { key: pem.key, cert: pem.cert }
  const clients = [{ client_id: "app", client_secret: "secret-of-the-app", redirect_uris: ["https://app.example/cb"] }]
  const op = await startMisbehaving({ clients, tls })
  onTestFinished(() => op.stop())
  expect(op.issuer).toMatch(/^https:\/\/localhost:\d+$/)
  expect(await metadataAt(op.issuerOf("none"), tls.cert)).toMatchObject({ token_endpoint: `${op.issuerOf("none")}/connect/token` })
  const { token_endpoint = "" } = await metadataAt(op.issuerOf("metadata.endpoint-plain"), tls.cert)
  expect(token_endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/f\/metadata\.endpoint-plain\/planted\/token$/)
  const verdict = () => op.scores().find(({ misbehavior }) => misbehavior.id === "metadata.endpoint-plain")?.verdict
  expect(verdict()).toBe("not reached")
  await fetch(token_endpoint, { method: "POST", body: new URLSearchParams({ grant_type: "authorization_code", code: "a-code" }) })
  expect(verdict()).toBe("accepted")
})
