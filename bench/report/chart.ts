import { type EChartsOption, init } from "echarts"
import { cpu, figureOf, perSecond } from "../figures.ts"
import type { Round } from "../load/run.ts"
import type { Results } from "../results.ts"

const colors = { Postern: "#2457d6", "oidc-provider": "#d98a29", floor: "#9aa3ad" } as const

/** Operations a second of each scenario at each server, as an SVG. */
export const throughputChart = (results: Results["scenarios"]): string =>
  bars(results, "operations a second on one core, by the scale of ten; longer is better", perSecond)

/** CPU for each operation of each scenario at each server, as an SVG. */
export const costChart = (results: Results["scenarios"]): string =>
  bars(results, "microseconds of CPU for each operation, by the scale of ten; shorter is better", cpu)

const bars = ({ scenarios }: Results["scenarios"], title: string, pick: (round: Round) => number): string => {
  const shown = scenarios.filter(({ failed }) => failed === undefined)
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 960, height: 90 + shown.length * 62 })
  const option: EChartsOption = {
    animation: false,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: "system-ui, sans-serif" },
    title: { text: title, left: 12, top: 8, textStyle: { fontSize: 13, fontWeight: "normal" } },
    legend: { top: 30, left: 8, itemGap: 24, data: Object.keys(colors) },
    grid: { left: 350, right: 70, top: 62, bottom: 16 },
    xAxis: { type: "log", min: 1, axisLabel: { show: false }, splitLine: { lineStyle: { color: "#e6e8eb" } } },
    yAxis: {
      type: "category",
      inverse: true,
      data: shown.map((result) => result.title),
      axisTick: { show: false },
      axisLabel: { width: 335, overflow: "break", color: "#222222" },
    },
    series: Object.entries(colors).map(([server, color]) => ({
      name: server,
      type: "bar" as const,
      itemStyle: { color },
      barCategoryGap: "28%",
      label: {
        show: true,
        position: "right" as const,
        formatter: ({ value }: { readonly value: unknown }) => (typeof value === "number" ? Math.round(value).toLocaleString("en") : ""),
      },
      data: shown.map((result) => figureOf(result, server, pick)?.median ?? "-"),
    })),
  }
  chart.setOption(option)
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}
