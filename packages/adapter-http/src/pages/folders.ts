import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")

/** The folder of the shipped templates and the files they load. */
export const shippedTemplates = join(root, "pages")

/** The folder of the shipped texts. */
export const shippedWords = join(root, "locales")
