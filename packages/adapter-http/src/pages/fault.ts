/** Something wrong with what an operator brought to the pages: a template, a catalog, a color, a logo. Found when the pages are made, with the file and line. */
export class PagesFault extends Error {
  override readonly name = "PagesFault"
}
