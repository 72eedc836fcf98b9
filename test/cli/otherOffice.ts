import { defineFeature } from "@postern/core/features"

/** A feature that has the name of another. */
export default defineFeature({ name: "office", allowedHeaders: ["office"] })
