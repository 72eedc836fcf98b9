import { readFileSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parseDocument } from "../../packages/cli/src/config/yaml.ts"

const folder = fileURLToPath(new URL("../../examples/test-provider", import.meta.url))
const read = (name: string): string => readFileSync(`${folder}/${name}`, "utf8")

const parse = (text: string): unknown => parseDocument(text).toJS() as unknown

/** The instructions of a Dockerfile: comments are gone, and lines that go on are one. */
const instructions = (text: string): ReadonlyArray<readonly [name: string, rest: string]> =>
  text
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Z]+) +(.+)$/.exec(line) ?? []
      return [name, rest] as const
    })

describe("the container of the provider for tests", () => {
  it("is made of Node's slim image, by a user who is not root, with a health check", () => {
    const lines = instructions(read("Dockerfile"))
    const of = (name: string): ReadonlyArray<string> => lines.flatMap(([each, rest]) => (each === name ? [rest] : []))
    const known = ["FROM", "COPY", "RUN", "USER", "WORKDIR", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"]
    expect(lines.map(([name]) => name).filter((name) => !known.includes(name))).toEqual([])
    expect(of("FROM")).toEqual(["node:24-slim"])
    expect(of("USER")).toEqual(["node"])
    expect(lines.findIndex(([name]) => name === "USER")).toBeLessThan(lines.findIndex(([name]) => name === "ENTRYPOINT"))
    expect(lines.findLastIndex(([name]) => name === "RUN")).toBeLessThan(lines.findIndex(([name]) => name === "USER"))
    const [, check = ""] = of("HEALTHCHECK")[0]?.split(" CMD ") ?? []
    expect(JSON.parse(check)).toEqual(["node", "-e", expect.stringContaining("http://127.0.0.1:8080/_test/time")])
    const entry = JSON.parse(of("ENTRYPOINT")[0] ?? "") as ReadonlyArray<string>
    expect(entry[2]).toMatch(/^exec postern test-provider --host 0\.0\.0\.0 --port 8080 --issuer "\$ISSUER" "\$@"$/)
    expect(JSON.parse(of("CMD")[0] ?? "")).toEqual(["--any-user"])
  })

  it("is a service of GitHub Actions, of GitLab and of compose, with the issuer that their jobs are given", () => {
    interface Service {
      readonly name?: string
      readonly alias?: string
      readonly env?: { readonly ISSUER: string }
      readonly variables?: { readonly ISSUER: string }
    }
    const github = parse(read("github-actions.yaml")) as {
      jobs: {
        test: { services: { postern: Service & { ports: ReadonlyArray<string> } }; steps: ReadonlyArray<{ env?: { OIDC_ISSUER: string } }> }
      }
    }
    const { services, steps } = github.jobs.test
    expect(services.postern.ports).toEqual(["127.0.0.1:8080:8080"])
    expect(steps.at(-1)?.env?.OIDC_ISSUER).toBe(services.postern.env?.ISSUER)
    const gitlab = parse(read("gitlab-ci.yaml")) as { test: { services: ReadonlyArray<Service>; variables: { OIDC_ISSUER: string } } }
    const [service] = gitlab.test.services
    expect(gitlab.test.variables.OIDC_ISSUER).toBe(service?.variables?.ISSUER)
    expect(service?.variables?.ISSUER).toBe(`http://${service?.alias ?? ""}:8080`)
    const compose = parse(read("compose.yaml")) as { services: { postern: { ports: ReadonlyArray<string> } } }
    expect(compose.services.postern.ports).toEqual(["127.0.0.1:8080:8080"])
  })

  it("is published on 127.0.0.1 alone, wherever a port of it is", () => {
    const published = readdirSync(folder).flatMap((name) => read(name).match(/\S*\b8080:8080\b/g) ?? [])
    expect(new Set(published.map((each) => each.replace(/^"/, "")))).toEqual(new Set(["127.0.0.1:8080:8080"]))
    expect(published).toHaveLength(3)
  })

  it("has no file that is not read here", () => {
    expect(readdirSync(folder).sort()).toEqual(["Dockerfile", "README.md", "compose.yaml", "github-actions.yaml", "gitlab-ci.yaml"])
  })
})
