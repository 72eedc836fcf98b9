// Answers each byte sequence with itself. Prints the port it listens on.
import { createServer } from "node:net"

const server = createServer({ noDelay: true }, (socket) => {
  socket.on("data", (chunk) => socket.write(chunk))
  socket.on("error", () => socket.destroy())
})
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
