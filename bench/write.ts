import { writePages } from "./report/pages.ts"

// Writes the pages anew from the results that were kept, without measuring: node bench/write.ts
writePages()
