/** What is known of one token's gold tag: the tag, the tags that it may be, or (null) nothing. */
export type PartialTag = string | readonly string[] | null;
