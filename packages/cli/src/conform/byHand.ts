import { createInterface } from "node:readline"
import { type Hand, type RoleClient, byHand } from "@postern/conformance"
import { systemCode } from "../config/file.ts"
import { failed } from "../failure.ts"

/** Reads lines of standard input on demand. */
const lines = () => {
  const reader = createInterface({ input: process.stdin, terminal: false })
  const read: Array<string> = []
  let isOver = false
  let next: (() => void) | undefined
  reader.on("line", (line) => {
    read.push(line)
    next?.()
  })
  reader.on("close", () => {
    isOver = true
    next?.()
  })
  const line = async (signal: AbortSignal): Promise<string | undefined> => {
    while (read.length === 0 && !isOver && !signal.aborted)
      await new Promise<void>((resolve) => {
        next = resolve
        signal.addEventListener("abort", () => resolve(), { once: true })
      })
    return signal.aborted ? undefined : read.shift()
  }
  return { line, close: () => reader.close() }
}

/** Creates the user at this terminal, who signs in by hand with their own browser. `say` shows them a line. */
export const personHere = async (clients: ReadonlyArray<RoleClient>, seconds: number, say: (line: string) => void): Promise<Hand> => {
  const { line, close } = lines()
  const callbacks = clients.flatMap(({ redirect_uris, post_logout_redirect_uris = [] }) => [...redirect_uris, ...post_logout_redirect_uris])
  try {
    const hand = await byHand({ callbacks, line, wait: seconds * 1000, say })
    const ended = async (): Promise<void> => {
      close()
      await hand.close()
    }
    return { ...hand, close: ended }
  } catch (error) {
    close()
    throw failed(
      `nothing can listen at a redirect URI: ${systemCode(error)}`,
      "end whatever listens there, or give the clients another port",
    )
  }
}
