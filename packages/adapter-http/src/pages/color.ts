import { PagesFault } from "./fault.ts"

/** The colors an operator may set, each as `#rgb` or `#rrggbb`. A dark-scheme color that is not given is derived from the light one. */
export interface Colors {
  /** The color of buttons, links and the focus outline. */
  readonly accent?: string
  readonly accentDark?: string
  /** The color behind the panel. */
  readonly background?: string
  readonly backgroundDark?: string
}

/** The stylesheet's fixed colors, which the computed ones must contrast with. */
const light = { surface: "#ffffff", ink: "#1c1c19", muted: "#5f5e57" }
const dark = { surface: "#1b1b19", ink: "#0c1f19", muted: "#a9a79d" }

/** The minimum contrast for text of normal size (WCAG 2.2 §1.4.3). */
const readable = 4.5

/**
 * Returns CSS custom properties for the operator's colors; empty if none are set. Accents are adjusted until they are readable; unreadable
 * backgrounds are rejected.
 */
export const colorSheet = (colors: Colors): string => {
  const forLight = [...accentRules(colors.accent, "accent", light, black), ...groundRules(colors.background, "background", light.muted)]
  const forDark = [
    ...accentRules(colors.accentDark ?? colors.accent, "accentDark", dark, white),
    ...groundRules(colors.backgroundDark, "backgroundDark", dark.muted),
  ]
  const block = (rules: ReadonlyArray<string>): string => (rules.length === 0 ? "" : `:root { ${rules.join("; ")} }`)
  return [block(forLight), forDark.length === 0 ? "" : `@media (prefers-color-scheme: dark) { ${block(forDark)} }`]
    .filter((part) => part !== "")
    .join("\n")
}

type Rgb = readonly [number, number, number]

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

const parse = (color: string, name: string): Rgb => {
  const digits = /^#(?:([0-9a-f]{3})|([0-9a-f]{6}))$/i.exec(color)
  const hex = digits?.[2] ?? digits?.[1]?.replace(/./g, "$&$&")
  if (hex === undefined) throw new PagesFault(`colors.${name}: "${color}" is not a color such as "#17604f"`)
  const channel = (at: number): number => Number.parseInt(hex.slice(at, at + 2), 16)
  return [channel(0), channel(2), channel(4)]
}

const write = (rgb: Rgb): string => `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`

/** Returns the relative luminance of a color, as WCAG 2.2 defines it. */
const luminance = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((channel) => {
    const part = channel / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

/** Returns the contrast ratio of two colors (WCAG 2.2 §1.4.3), from 1 to 21. */
export const contrast = (left: string, right: string): number => ratio(parse(left, "left"), parse(right, "right"))

const ratio = (left: Rgb, right: Rgb): number => {
  const [lighter, darker] = [luminance(left), luminance(right)].sort((a, b) => b - a)
  return ((lighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
]

const accentRules = (color: string | undefined, name: string, scheme: typeof light, towards: Rgb): ReadonlyArray<string> => {
  if (color === undefined) return []
  const wanted = parse(color, name)
  const surface = parse(scheme.surface, name)
  let share = 0
  // In steps of a twentieth. Pure black or white is always readable. The added 0.3 compensates for rounding.
  while (share < 1 && ratio(mix(wanted, towards, share), surface) < readable + 0.3) share += 0.05
  const accent = mix(wanted, towards, Math.min(share, 1))
  const ink = parse(scheme.ink, name)
  const onAccent = ratio(white, accent) >= ratio(ink, accent) ? white : ink
  const hover = mix(accent, onAccent === white ? black : white, 0.18)
  return [`--accent: ${write(accent)}`, `--accent-hover: ${write(hover)}`, `--on-accent: ${write(onAccent)}`]
}

const groundRules = (color: string | undefined, name: string, muted: string): ReadonlyArray<string> => {
  if (color === undefined) return []
  const ground = parse(color, name)
  if (ratio(parse(muted, name), ground) < readable)
    throw new PagesFault(`colors.${name}: text cannot be read on "${color}"; choose a ${name === "background" ? "lighter" : "darker"} one`)
  return [`--ground: ${write(ground)}`]
}
