import { openDatabase } from "../../packages/adapter-sqlite/src/database/open.ts"
import { laterSteps } from "./laterSteps.ts"

// A process of its own that brings a file to the schema of a later version, to be killed on the way.
const [path = ""] = process.argv.slice(2)
process.stdout.write("began\n")
openDatabase(path, { steps: laterSteps }).close()
