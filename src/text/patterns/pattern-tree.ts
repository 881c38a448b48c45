/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: 'empty' }
  /** A backreference. */
  | { readonly kind: 'reference' }
  /** One character of a set, by the number of the set. */
  | { readonly kind: 'set'; readonly set: number }
  /** Something that holds between two characters, by its number. */
  | { readonly kind: 'condition'; readonly condition: number }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  /** Earlier parts win. */
  | { readonly kind: 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** Infinity where there is no bound. */
      readonly most: number;
      readonly greedy: boolean;
    };

/** What a pattern asks of a place in the text. */
export type Condition =
  | { readonly kind: 'start' | 'end' | 'boundary' | 'no boundary' }
  | {
      readonly kind: 'ahead' | 'behind';
      readonly negative: boolean;
      readonly part: PatternNode;
    };

/** A pattern, taken apart. */
export interface PatternTree {
  readonly root: PatternNode;
  /** Each set as the source of an expression for one character. */
  readonly sets: readonly string[];
  /** Those inside of others come before them. */
  readonly conditions: readonly Condition[];
}
