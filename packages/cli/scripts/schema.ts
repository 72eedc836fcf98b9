// Writes the published JSON Schema of the configuration file: `node packages/cli/scripts/schema.ts`.
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { configJsonSchema } from "../src/config/jsonSchema.ts"

const file = fileURLToPath(new URL("../schema/postern.schema.json", import.meta.url))
writeFileSync(file, JSON.stringify(configJsonSchema()))
spawnSync(process.execPath, [fileURLToPath(new URL("../../../node_modules/oxfmt/bin/oxfmt", import.meta.url)), file], { stdio: "inherit" })
