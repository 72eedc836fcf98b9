import { liquidPages } from "@postern/adapter-http/pages"
import { expect, test } from "vitest"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { client } from "../../packages/adapter-http/src/pages/parts.ts"
import { textOf } from "./html.ts"

const pages = liquidPages()

const face = {
  clientId: "dcr-1",
  name: "Calendar",
  uri: "https://app.example/",
  tosUri: "https://app.example/terms",
  inLanguages: {
    de: { name: "Kalender", tosUri: "https://app.example/agb" },
    "pt-BR": { name: "Calendário" },
    ja: { tosUri: "javascript:alert(1)" },
  },
}

test.each<readonly [tag: string, name: string, tos: string | null]>([
  ["en", "Calendar", "https://app.example/terms"],
  ["de", "Kalender", "https://app.example/agb"],
  ["DE", "Kalender", "https://app.example/agb"],
  ["de-AT", "Kalender", "https://app.example/agb"],
  ["pt-BR", "Calendário", "https://app.example/terms"],
  ["pt", "Calendário", "https://app.example/terms"],
  ["ja", "Calendar", null],
  ["fr", "Calendar", "https://app.example/terms"],
])("RFC 7591 §2.2: a page in %s calls the client %s, and takes what it does not translate from what it says to all", (tag, name, tos) => {
  expect(client(face, { tag })).toMatchObject({ id: "dcr-1", name, tos, uri: "https://app.example/", initial: name[0] })
})

test("RFC 7591 §2.2: the consent page of a client that registered itself has its German name in German, and no other", () => {
  const sample = samples.find(({ name }) => name === "consent-unverified")
  if (sample === undefined) throw new Error("the samples have lost a page")
  const titled = (locale: string): boolean =>
    textOf(String(pages.render(sample.page, { ...sampleContext, locales: [locale] }))).includes("Contoso-Kalender")
  expect([titled("de"), titled("en"), titled("fr")]).toEqual([true, false, false])
})
