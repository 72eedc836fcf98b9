// Apart from settle/pages.ts: whoever renders needs these two places, and no table or stage of a page.

/** The place of an embedder's own page for devices, which there is only where there is one; the renderer puts its path there. */
export const ownDevicePage = "/device/page"

/** The place of an embedder's own page for backchannel requests, likewise. */
export const ownApprovalPage = "/approve/page"
