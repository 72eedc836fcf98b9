// Postern in Next.js, below /auth.
import { postern } from "../../../postern.ts"

const handle = async (request: Request): Promise<Response> => {
  // Behind a proxy of yours that writes the header, the last entry is the address it saw; take it from nobody else.
  const address = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
  return (await postern()).fetch(request, { address })
}

export const dynamic = "force-dynamic"
export { handle as GET, handle as HEAD, handle as OPTIONS, handle as POST }
