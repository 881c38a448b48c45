/** The known part of a token's gold tag: the tag, its alternatives, or null if unknown. */
export type PartialTag = string | readonly string[] | null;
