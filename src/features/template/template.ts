import type { TextPattern } from '../../text/patterns/text-pattern.js';
import type { FoundInToken } from './token-function.js';

/** What a macro takes from the column of a token. */
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
  /** Its third argument as it was written. */
  readonly argument: string;
  readonly find: FoundInToken;
}

/** `%x[-1,0]` and its kin: a function of one column of the token `offset` places away. */
export interface Macro {
  readonly apply: TokenFunction;
  /** Tokens from the present one; with `absolute`, from the first (>= 0) or the last (< 0). */
  readonly offset: number;
  readonly absolute: boolean;
  /** Number or name of the column. */
  readonly column: number | string;
  /** Case is folded first (`%X`, `%T`, `%M`, `%Prefix`, `%Suffix`). */
  readonly fold: boolean;
  /** Length of a prefix or suffix, place of a character, bits of a cluster's path (0: all). */
  readonly count: number;
  /** Pattern of `test` and `match`. */
  readonly pattern: TextPattern | undefined;
  /** Name of the list of `gazetteer`, `cluster` and `vector`, or of what `document` and `predicted` look at. */
  readonly resource?: string;
  /** What `custom` applies: a token function that is not built in. */
  readonly custom?: CustomFunction;
}

/** A template is literal text and macros in turn. */
export type Piece = string | Macro;

/** One line of a template file. */
export interface Template {
  /** Features of the token, of the transition into it, or both. */
  readonly kind: 'state' | 'edge' | 'both';
  readonly pieces: readonly Piece[];
  /** The line as it was written. */
  readonly source: string;
  readonly line: number;
}

/** Whether a macro looks at what other sentences of the document say. */
export function isOfContext({ apply }: Macro): boolean {
  return apply === 'document' || apply === 'predicted';
}

/** Whether a macro is the value of a feature, and no part of its text: `%v` and `%vv`, and of many features `%vector`. */
export function isNumber({ apply }: Macro): boolean {
  return apply === 'real' || apply === 'square' || apply === 'vector';
}

/** Returns such a macro as the text of a feature writes it: as in the template. */
export function numberText({ apply, absolute, offset, column, resource }: Macro): string {
  const name = apply === 'vector' ? apply : apply === 'real' ? 'v' : 'vv';
  const list = resource === undefined ? '' : `,${resource}`;
  return `%${name}[${absolute ? '@' : ''}${offset},${column}${list}]`;
}
