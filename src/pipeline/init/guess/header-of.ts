import { splitRow } from '../../../io/codecs/conll/conll-layout.js';
import type { CellSeparator } from '../../../io/codecs/conll/delimited-cells.js';

/** Names that columns of labelled files usually have. */
const usual =
  /^(?:id|word|words|token|tokens|form|text|lemma|pos|upos|xpos|tag|tags|label|labels|ner|ner_tag|entity|chunk|sentence|sent|feats)$/i;

/**
 * The names of the columns, if the first line of a file has them, be it after a `#`: two or more that are usual, and none
 * that is empty but the first, as pandas writes the numbers of rows.
 *
 * @example
 * headerOf(['Word\tPOS\tNER', 'Ann\tNNP\tB-PER'], 'tab', 3) // => ['Word', 'POS', 'NER']
 * headerOf(['# Word\tTag', 'Ann\tB-PER'], 'tab', 2) // => ['Word', 'Tag']
 * headerOf(['Ann\tNNP\tB-PER'], 'tab', 3) // => undefined
 */
export function headerOf(
  filled: readonly string[],
  separator: CellSeparator,
  width: number,
): readonly string[] | undefined {
  const cells = splitRow(filled[0]!.replace(/^#\s*/, ''), separator);
  const isHeader =
    cells.length === width &&
    cells.every((cell, i) => cell !== '' || i === 0) &&
    cells.filter(cell => usual.test(cell)).length >= 2;
  return isHeader ? cells : undefined;
}
