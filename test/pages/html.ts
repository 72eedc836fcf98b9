/** A tag of a document: its name, and its attributes as they stand after entities are read. */
export interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#34": '"', "#39": "'" }

/** Text with its entities read. */
export const unescaped = (text: string): string => text.replace(/&(amp|lt|gt|quot|#34|#39);/g, (_, name: string) => entities[name] ?? "")

/** Every start tag of a document, in order, as a browser would see them. */
export const tagsOf = (html: string): ReadonlyArray<Tag> =>
  [
    ...html
      .replaceAll(/<script[^>]*>[\s\S]*?<\/script>/g, (script) => script.slice(0, script.indexOf(">") + 1))
      .matchAll(/<([a-z][a-z0-9]*)((?:\s+[^\s=>"'/]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?)*)\s*\/?>/gi),
  ].map(([, name = "", rest = ""]) => ({
    name: name.toLowerCase(),
    attributes: new Map(
      [...rest.matchAll(/([^\s=>"'/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)].map(([, key = "", a, b, c]) => [
        key.toLowerCase(),
        unescaped(a ?? b ?? c ?? ""),
      ]),
    ),
  }))

/** The tag that has an id. */
export const byId = (html: string, id: string): Tag | undefined => tagsOf(html).find(({ attributes }) => attributes.get("id") === id)

/** Reads a document as its reader does: without its tags. */
export const textOf = (html: string): string =>
  unescaped(html.replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim()

/** The shape of a document: its tags and the names of their attributes, nothing of what was put in. */
export const shapeOf = (html: string): string =>
  tagsOf(html)
    .map(({ name, attributes }) => `${name}[${[...attributes.keys()].join(" ")}]`)
    .join(" ")
