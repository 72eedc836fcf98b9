import { systemCode } from "./file.ts"
import { type Failed, failed } from "../failure.ts"

/** The remedies of system errors, by their codes. */
const remedies: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist: create it, or name another",
  ENOTDIR: "a file is in the place of its folder: name another",
  EISDIR: "it is a folder: name a file",
  ENAMETOOLONG: "give it a shorter name",
  ENOSPC: "its disk is full: free some space",
  EDQUOT: "this user's share of the disk is full: free some space",
  EROFS: "its file system is read-only: name another place",
}

/** Creates the failure of a file that a command cannot write, with the remedy. */
export const unwritable = (file: string, error: unknown): Failed => {
  const code = systemCode(error)
  return failed(
    `${file} cannot be written${code === "" ? "" : `: ${code}`}`,
    remedies[code] ?? "check the folder and this user's rights in it, or name another file",
  )
}
