/**
 * What is known of the tokens of a sentence from elsewhere, by name: a text for each token. Templates read them by
 * `%document[0,0,NAME]`.
 */
export type ContextColumns = Readonly<Record<string, readonly string[]>>;
