/** Method for decoding labels from the chains of bits; see `fillCodes`. */
export type CodeDecoder = 'product' | 'marginals' | 'hamming';

/**
 * Labels as words of a code, with one binary chain per bit. Bit `b` has two columns of the parameters: `2b` for labels
 * whose bit is 0, `2b + 1` for labels whose bit is 1.
 */
export interface OutputCodes {
  /** The bits, 0 or 1, of each label; empty until all labels are known. */
  readonly words: readonly (readonly number[])[];
  readonly decoder: CodeDecoder;
}

/**
 * Labels composed of parts, such as `NOUN|Case=Nom`: label `y` has the columns `columns[k]` of the parameters, k in
 * `[starts[y], starts[y + 1])`, ascending, without duplicates. Lists grow with the labels; `starts` has one more element
 * than there are labels.
 */
export interface LabelParts {
  readonly starts: readonly number[];
  readonly columns: readonly number[];
}

/**
 * Labels of two or more layers, such as a part of speech and a chunk: label `p` has the columns `layers[k][p]` of the
 * parameters, one per layer k. Lists grow with the labels.
 */
export type LabelLayers = readonly (readonly number[])[];
