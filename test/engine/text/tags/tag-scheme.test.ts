import { expect, it } from 'vitest';
import {
  hasRules,
  isSpanScheme,
  schemeAllows,
  spanSchemes,
} from '../../../../src/engine/text/tags/tag-scheme.js';

it('all schemes but none mark spans', () => {
  expect((['IO', 'BIO', 'BIOES', 'none'] as const).map(isSpanScheme)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

it.each(spanSchemes.filter(hasRules))('%s forbids all that BIO forbids', scheme => {
  const tags = ['O', ...[...'BIESLUMW'].flatMap(letter => [letter, `${letter}-X`, `${letter}-Y`])];
  let forbidden = 0;
  for (const from of [undefined, ...tags]) {
    for (const to of tags) {
      if (schemeAllows('BIO', from, to)) continue;
      forbidden += 1;
      expect([from, to, schemeAllows(scheme, from, to)]).toEqual([from, to, false]);
    }
  }
  expect(forbidden).toBeGreaterThan(80);
});
