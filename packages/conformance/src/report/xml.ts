const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

/** Escapes text for XML and HTML, and removes the characters that XML 1.0 §2.2 does not allow. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}--[\t\n\r]]|[\ufffe\uffff]/gv, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
