/** A labelled piece of a text: the UTF-16 units `[start, end)`. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
}

/**
 * What becomes of gold spans that begin or end inside of a token: `reject`: their record is rejected; `widen`: they
 * cover the whole token; `unknown`: nothing is known of the tags of the tokens that they touch.
 */
export type Misaligned = 'reject' | 'widen' | 'unknown';

/**
 * What becomes of gold spans that overlap: `reject`: their record is rejected; `longest`: the longest of them counts; `first`: the
 * one that begins first, and of those that begin together the longest.
 */
export type Overlaps = 'reject' | 'longest' | 'first';
