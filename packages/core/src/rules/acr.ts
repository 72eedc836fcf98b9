/** The value of an `acr_values` word such as `tenant:NAME` (specification §2.1, §2.2 acr_values). */
export const acrWord = (acrValues: string | undefined, prefix: string): string | undefined =>
  acrValues
    ?.split(" ")
    .find((word) => word.startsWith(prefix) && word.length > prefix.length)
    ?.slice(prefix.length)
