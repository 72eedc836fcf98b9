// Kept apart from settle/pages.ts, because the renderer needs only these paths, and no table or stage of a page.

/** The path of the page on which a person signs in. */
export const signInPath = "/login"

/** The path of the page on which a person consents. */
export const consentPath = "/consent"

/** The path of the page for a device's code. */
export const devicePath = "/device"

/** The path at which a waiting authorization request continues. */
export const resumePath = "/connect/authorize/resume"

/** The internal path of an embedder's own page for devices, used only if there is one; the renderer replaces it by the page's path. */
export const ownDevicePage = "/device/page"

/** The internal path of an embedder's own page for backchannel requests, used likewise. */
export const ownApprovalPage = "/approve/page"
