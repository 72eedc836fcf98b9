import type { ChildProcess } from "node:child_process"
import type { AdjustableLog } from "@postern/adapter-http"

/**
 * Closes the connection in transit to a process that exits. Node's cluster would wait for an acknowledgement and keep it open, so its
 * client would wait forever. Accepted handles are already closed, and only one is in transit at a time.
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

/** The maximum number of characters buffered for a line. A longer line is split. */
export const longestLine = 1_048_576

/**
 * Forwards whole lines of a worker's log, because lines of several processes on one pipe could be interleaved. An incomplete last line is
 * terminated with a newline.
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
