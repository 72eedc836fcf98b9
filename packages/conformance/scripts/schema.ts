// Writes the published JSON Schema of recordings: `node packages/conformance/scripts/schema.ts`.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { recordingJsonSchema } from "../src/recording/schema.ts"

const file = fileURLToPath(new URL("../schema/recording.schema.json", import.meta.url))
writeFileSync(file, JSON.stringify(recordingJsonSchema()))
spawnSync(process.execPath, [fileURLToPath(new URL("../../../node_modules/oxfmt/bin/oxfmt", import.meta.url)), file], { stdio: "inherit" })
