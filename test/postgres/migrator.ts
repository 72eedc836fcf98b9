import { openDatabase } from "@postern/adapter-postgres"
import { steps } from "./steps.ts"

// A process of its own that brings a database to the last version of the test's steps, as a server does when it starts.
await (await openDatabase(process.argv[2] ?? "", { steps })).close()
