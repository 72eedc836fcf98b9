import type { Duplex } from "node:stream"
import { StringDecoder } from "node:string_decoder"

/** Calls `take` with each whole line that arrives on a stream; the part of a line that a process left when it died is dropped. */
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

/** The first words of a line, as many as asked for, and everything after them. */
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
