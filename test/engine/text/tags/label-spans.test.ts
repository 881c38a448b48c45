import { expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { labelSpans, spanPairs, spansOf } from '../../../../src/engine/text/tags/spans.js';

it.each([
  ['BIO', ['O', 'B-X', 'I-X', 'B-Y', 'I-Y']],
  ['BIOES', ['O', 'B-X', 'I-X', 'E-X', 'S-X', 'S-Y']],
  ['without types', ['B', 'I', 'O', 'E', 'S']],
  ['odd', ['O', '[-X', ']-X', '.-X', 'X', 'L-X', 'U-X', 'I-X-Y', '', 'B-']],
])('spans of label numbers are those of their names: %s', (_, names) => {
  const random = new Random(5);
  const pairs = spanPairs(names);
  for (let i = 0; i < 500; i += 1) {
    const labels = Int32Array.from({ length: random.below(12) }, () => random.below(names.length));
    const tags = Array.from(labels, label => names[label]!);
    expect(labelSpans(labels, pairs)).toEqual(spansOf(tags));
  }
});
