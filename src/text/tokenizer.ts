import type { Range } from '../core/document.js';

/**
 * Finds the tokens of a text as half-open ranges of UTF-16 units, in order and without overlap; what
 * lies between two tokens is white space or was left out on purpose. Never changes the text.
 */
export type Tokenizer = (text: string) => Range[];
