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
  | 'gazetteer'
  | 'cluster';

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
  readonly pattern: RegExp | undefined;
  /** Name of the list of `gazetteer` and `cluster`. */
  readonly resource?: string;
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
