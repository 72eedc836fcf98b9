import type { Duplex } from "node:stream"
import { StringDecoder } from "node:string_decoder"

/** Calls `take` with each complete line that arrives on a stream. An incomplete line left by a process that died is dropped. */
export const eachLine = (stream: Duplex, take: (line: string) => void): void => {
  const decoder = new StringDecoder("utf8")
  let rest = ""
  stream.on("data", (chunk: Buffer) => {
    const text = decoder.write(chunk)
    let from = 0
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      take(rest + text.slice(from, end))
      rest = ""
      from = end + 1
    }
    rest += text.slice(from)
  })
}

/** Splits a line into the given number of leading words and the rest. */
export const wordsOf = (line: string, count: number): ReadonlyArray<string> => {
  const words: Array<string> = []
  let from = 0
  for (let word = 0; word < count; word++) {
    const end = line.indexOf(" ", from)
    words.push(line.slice(from, end))
    from = end + 1
  }
  words.push(line.slice(from))
  return words
}
