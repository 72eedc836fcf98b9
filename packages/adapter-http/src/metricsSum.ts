import type { Reading } from "./metrics.ts"

/** A metric family in Prometheus' text format: its comments, and its series in order of appearance. */
interface Family {
  readonly comments: Set<string>
  type: string
  readonly series: Map<string, number>
}

/** Merges two values. The start time is that of the oldest process; all other values are added. */
const added = (name: string, one: number | undefined, other: number): number => {
  if (one === undefined) return other
  return name === "process_start_time_seconds" ? Math.min(one, other) : one + other
}

/** Returns the family of a series. The parts of a histogram belong to the histogram. */
const familyOf = (name: string, families: ReadonlyMap<string, Family>): string => {
  const whole = name.replace(/_(?:bucket|sum|count)$/, "")
  return families.get(whole)?.type === "histogram" ? whole : name
}

const familiesOf = (texts: ReadonlyArray<string>): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family>()
  const family = (name: string): Family => {
    const known = families.get(name) ?? { comments: new Set<string>(), type: "untyped", series: new Map<string, number>() }
    families.set(name, known)
    return known
  }
  for (const line of texts.flatMap((text) => text.split("\n"))) {
    const [, kind, of = "", told = ""] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (kind !== undefined) {
      const known = family(of)
      known.comments.add(line)
      if (kind === "TYPE") known.type = told
      continue
    }
    const [, series, name = "", value] = /^(([^\s{]+)(?:\{.*\})?) (\S+)$/.exec(line) ?? []
    if (series === undefined) continue
    const { series: all } = family(familyOf(name, families))
    all.set(series, added(name, all.get(series), Number(value)))
  }
  return families
}

const textOf = (families: Iterable<Family>): string =>
  [...families].flatMap(({ comments, series }) => [...comments, ...[...series].map(([name, value]) => `${name} ${value}`), ""]).join("\n")

/** Adds up the metrics of a server's processes, in Prometheus' text format. */
export const sumMetrics = (texts: ReadonlyArray<string>): string => textOf(familiesOf(texts).values())

/** Returns the counters and histograms of a process that has ended, which still count for the server. Gauges are dropped. */
export const lastingMetrics = (text: string): string =>
  textOf([...familiesOf([text]).values()].filter(({ type }) => type === "counter" || type === "histogram"))

/** Formats readings of a process without a meter, in Prometheus' text format. */
export const readingsText = (readings: ReadonlyArray<Reading>): string =>
  readings
    .flatMap(({ name, description, attributes = {}, counts, read }) => {
      const labels = Object.entries(attributes).map(([label, value]) => `${label}="${value}"`)
      return [
        `# HELP ${name} ${description}`,
        `# TYPE ${name} ${counts === true ? "counter" : "gauge"}`,
        `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${read()}`,
        "",
      ]
    })
    .join("\n")
