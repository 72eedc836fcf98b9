import type { ChildProcess } from "node:child_process"
import type { AdjustableLog } from "@postern/adapter-http"

/**
 * Closes the connection that was on its way to a process when that ended. Node's cluster waits for the process to take it and would keep it
 * open, so whoever connected would wait without end; a handle that was taken is closed already, and one is on its way at a time.
 */
export const closeLastHandle = (child: ChildProcess): void => {
  let last: { readonly close?: unknown } | undefined
  const send = child.send.bind(child) as (...given: ReadonlyArray<unknown>) => boolean
  Object.assign(child, {
    send: (message: unknown, handle: unknown, ...rest: ReadonlyArray<unknown>): boolean => {
      if (typeof handle === "object" && handle !== null) last = handle
      return send(message, handle, ...rest)
    },
  })
  child.once("exit", () => {
    if (typeof last?.close === "function") last.close()
  })
}

/** Characters of a line that are waited for; a longer one is cut. */
export const longestLine = 1_048_576

/**
 * Takes whole lines of a worker's log to this one's: several processes that wrote to one pipe would mix them up. The last one of a worker that
 * died while it wrote is ended here.
 */
export const forwardLines = (stream: NodeJS.ReadableStream | null, log: Pick<AdjustableLog, "append">): void => {
  let rest = ""
  const flush = (): void => {
    if (rest !== "") log.append(`${rest}\n`)
    rest = ""
  }
  stream
    ?.setEncoding("utf8")
    .on("data", (text: string) => {
      const end = text.lastIndexOf("\n") + 1
      if (end > 0) log.append(rest + text.slice(0, end))
      rest = end > 0 ? text.slice(end) : rest + text
      if (rest.length >= longestLine) flush()
    })
    .on("end", flush)
}
