/** The sections of docs/capacity.md. */
export const capacity = (): Readonly<Record<string, string | undefined>> => ({})
