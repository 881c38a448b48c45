const phrase = /^[BIESLUMW]-(?:NP|VP|PP|ADJP|ADVP|SBAR|NX|VX|NC|VC|PC)$/;

/**
 * Whether a tag is one of a phrase, as chunking corpora have them.
 *
 * @example
 * ['B-NP', 'B-PER', 'NP'].map(isPhraseTag) // => [true, false, false]
 */
export function isPhraseTag(tag: string): boolean {
  return phrase.test(tag);
}
