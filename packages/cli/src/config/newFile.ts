import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"

/** Writes a new file with mode 0600. Leaves nothing behind if it cannot be written whole. Throws the system's error, `EEXIST` if the file exists. */
export const writeNew = (file: string, text: string): void => {
  const to = openSync(file, "wx", 0o600)
  try {
    writeFileSync(to, text)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(to)
  }
}
