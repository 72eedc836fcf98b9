import type { Frame } from "./profile.ts"

const [width, row, head] = [1200, 17, 54]

/** Colors of whose code a frame is; others have the last. */
const colors: Readonly<Record<string, string>> = {
  postern: "#7da2f8",
  effect: "#c9a3ee",
  node: "#8fd19e",
  native: "#c3cad2",
  "garbage collector": "#f2a3a3",
  "better-sqlite3": "#f4cf7a",
  jose: "#f7b27a",
  other: "#e2d9c8",
}

/** Draws a tree of frames as a flame graph: an SVG that stands alone; a frame shows its name and share when pointed at. */
export const flameGraph = (title: string, root: Frame): string => {
  const rects: Array<string> = []
  let deepest = 0
  const draw = (frame: Frame, x: number, depth: number): void => {
    const wide = (frame.spent / root.spent) * width
    if (wide < 0.4) return
    deepest = Math.max(deepest, depth)
    const y = head + depth * row
    const share = `${((frame.spent / root.spent) * 100).toFixed(1)} %`
    const letters = Math.floor((wide - 4) / 6.2)
    const label = letters < 4 ? "" : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(shortened(frame.name, letters))}</text>`
    rects.push(
      `<g><title>${escaped(frame.name)}: ${share}</title><rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.3, wide - 0.3).toFixed(1)}" height="${row - 1}" fill="${colors[frame.owner] ?? colors["other"]}"/>${label}</g>`,
    )
    let at = x
    for (const call of frame.calls) {
      draw(call, at, depth + 1)
      at += (call.spent / root.spent) * width
    }
  }
  draw(root, 0, 0)
  const legend = Object.entries(colors)
    .map(
      ([owner, color], at) =>
        `<rect x="${8 + at * 130}" y="30" width="11" height="11" fill="${color}"/><text x="${23 + at * 130}" y="40">${owner}</text>`,
    )
    .join("")
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${head + (deepest + 1) * row + 6}" font-family="ui-monospace, monospace" font-size="10.5"><rect width="100%" height="100%" fill="#ffffff"/><text x="8" y="18" font-size="13" font-family="system-ui, sans-serif">${escaped(title)}</text>${legend}${rects.join("\n")}</svg>\n`
}

const shortened = (text: string, letters: number): string => (text.length <= letters ? text : `${text.slice(0, letters - 1)}…`)

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
