import type { TextPattern } from '../../text/patterns/text-pattern.js';
import type { FoundInToken } from './token-function.js';

/** The function that a macro applies to a token's column. */
export type TokenFunction =
  | 'value'
  | 'lower'
  | 'shape'
  | 'type'
  | 'prefix'
  | 'suffix'
  | 'char'
  | 'length'
  | 'test'
  | 'match'
  | 'real'
  | 'square'
  | 'first'
  | 'last'
  | 'gazetteer'
  | 'cluster'
  | 'vector'
  | 'document'
  | 'predicted'
  | 'seen'
  | 'custom';

/** A token function of a plug-in in a template. */
export interface CustomFunction {
  readonly name: string;
  /** Its third argument as written. */
  readonly argument: string;
  readonly find: FoundInToken;
}

/** `%x[-1,0]` and the like: a function of one column of the token at `offset`. */
export interface Macro {
  readonly apply: TokenFunction;
  /** Offset from the current token; with `absolute`, from the first (>= 0) or the last (< 0). */
  readonly offset: number;
  readonly absolute: boolean;
  /** Number or name of the column. */
  readonly column: number | string;
  /** Folds case first (`%X`, `%T`, `%M`, `%Prefix`, `%Suffix`). */
  readonly fold: boolean;
  /** Length of a prefix or suffix, place of a character, bits of a cluster's path (0: all). */
  readonly count: number;
  /** Pattern of `test` and `match`. */
  readonly pattern: TextPattern | undefined;
  /**
   * Name of the list for `gazetteer`, `cluster` and `vector`, or of the context column for `document` and
   * `predicted`.
   */
  readonly resource?: string;
  /** The token function of `custom`. */
  readonly custom?: CustomFunction;
}

/** Template pieces: literal text and macros, alternating. */
export type Piece = string | Macro;

/** One line of a template file. */
export interface Template {
  /** Features of the token, of the transition into it, or both. */
  readonly kind: 'state' | 'edge' | 'both';
  readonly pieces: readonly Piece[];
  /** The line as written. */
  readonly source: string;
  readonly line: number;
}

/** Whether a macro uses other sentences of the document. */
export function isOfContext({ apply }: Macro): boolean {
  return apply === 'document' || apply === 'predicted';
}

/** Whether a macro is a feature's value rather than part of its text: `%v`, `%vv`, and `%vector` for several features. */
export function isNumber({ apply }: Macro): boolean {
  return apply === 'real' || apply === 'square' || apply === 'vector';
}

/** Returns such a macro in the text of a feature: as in the template. */
export function numberText({ apply, absolute, offset, column, resource }: Macro): string {
  const name = apply === 'vector' ? apply : apply === 'real' ? 'v' : 'vv';
  const list = resource === undefined ? '' : `,${resource}`;
  return `%${name}[${absolute ? '@' : ''}${offset},${column}${list}]`;
}
