import { publish } from "../docs/publish.ts"
import { lines } from "./lines/index.ts"
import { specificationPage } from "./page.ts"

/** Writes `docs/specification.md` from the lines; with `--check`, fails when it differs. */
publish("docs/specification.md", specificationPage(lines), `${lines.length} lines`)
