import type { Range } from '../../core/sentence/document.js';

/**
 * Finds the tokens of a text as half-open ranges of UTF-16 units, in order and without overlap. The text
 * between two tokens is white space, or is omitted on purpose. Never changes the text.
 *
 * @param most tokens that are of use: it may stop where there are more
 */
export type Tokenizer = (text: string, most?: number) => Range[];
