import type { TextPattern } from '../../text/patterns/text-pattern.js';
import type { FoundInToken } from './token-function.js';

/** Function that a macro applies to a token's column. */
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

/** A plug-in's token function in a template. */
export interface CustomFunction {
  readonly name: string;
  /** Third argument as written. */
  readonly argument: string;
  readonly find: FoundInToken;
}

/** A macro such as `%x[-1,0]`: a function of one column of the token at `offset`. */
export interface Macro {
  readonly apply: TokenFunction;
  /**
   * Offset from the current token; with `absolute`, from the first token (>= 0) or the last (< 0).
   */
  readonly offset: number;
  readonly absolute: boolean;
  /** Number or name of the column. */
  readonly column: number | string;
  /** Whether case is folded first (`%X`, `%T`, `%M`, `%Prefix`, `%Suffix`). */
  readonly fold: boolean;
  /**
   * Length of a prefix or suffix, position of a character, or number of path bits of a cluster (0:
   * all).
   */
  readonly count: number;
  /** Pattern of `test` and `match`. */
  readonly pattern: TextPattern | undefined;
  /**
   * Name of the list for `gazetteer`, `cluster` and `vector`, or of the context column for `document` and
   * `predicted`.
   */
  readonly resource?: string;
  /** Token function of `custom`. */
  readonly custom?: CustomFunction;
}

/** Template piece: literal text or a macro, which alternate. */
export type Piece = string | Macro;

/** A line of a template file. */
export interface Template {
  /** Kind of features: of the token, of the transition into it, or both. */
  readonly kind: 'state' | 'edge' | 'both';
  readonly pieces: readonly Piece[];
  /** Line as written. */
  readonly source: string;
  readonly line: number;
}

/** Returns whether a macro uses other sentences of the document. */
export function isOfContext({ apply }: Macro): boolean {
  return apply === 'document' || apply === 'predicted';
}

/**
 * Returns whether a macro is a feature's value rather than part of its text: `%v`, `%vv`, and
 * `%vector`, which has a feature per component.
 */
export function isNumber({ apply }: Macro): boolean {
  return apply === 'real' || apply === 'square' || apply === 'vector';
}

/** Returns the text of such a macro in a feature name, the same as in the template. */
export function numberText({ apply, absolute, offset, column, resource }: Macro): string {
  const name = apply === 'vector' ? apply : apply === 'real' ? 'v' : 'vv';
  const list = resource === undefined ? '' : `,${resource}`;
  return `%${name}[${absolute ? '@' : ''}${offset},${column}${list}]`;
}
