import { expect, it } from 'vitest';
import { isSpanScheme } from '../../../src/text/tags/tag-scheme.js';

it('all schemes but none mark spans', () => {
  expect((['IO', 'BIO', 'BIOES', 'none'] as const).map(isSpanScheme)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});
