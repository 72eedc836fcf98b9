/** An error in an operator's template, catalog, color or logo. It is thrown when the pages are created, with the file and line. */
export class PagesFault extends Error {
  override readonly name = "PagesFault"
}
