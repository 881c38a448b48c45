/**
 * The scheme by which tags mark spans.
 *
 * `IO`: inside or outside, so that neighbouring spans of one label merge. `BIO`: B starts a span (also
 * IOB1, where B stands only between neighbouring spans of one label: both are read by the same rules).
 * `BIOES`: E ends a span, S is a span of one token. `none`: the tags mark no spans, as for parts of
 * speech.
 */
export type TagScheme = 'IO' | 'BIO' | 'BIOES' | 'none';

/**
 * Whether tags of this scheme mark spans.
 *
 * @example
 * isSpanScheme('BIO') // => true
 * isSpanScheme('none') // => false
 */
export function isSpanScheme(scheme: TagScheme): boolean {
  return scheme !== 'none';
}
