import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  clearSpan,
  constraintsOf,
  type FixedTags,
  markSpan,
} from '../../src/annotation/task/fixed-tags.js';
import { schemeAllows } from '../../src/engine/text/tags/tag-scheme.js';

const length = 8;
const edit = fc.record({
  label: fc.constantFrom('A', 'B', undefined),
  from: fc.nat(length - 1),
  size: fc.integer({ min: 1, max: 4 }),
});

describe('the tags that a person fixes', () => {
  it('stay whole spans, and can always be decoded', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), edits => {
        let fixed: FixedTags = new Array(length).fill(null);
        for (const { label, from, size } of edits) {
          const end = Math.min(length, from + size);
          fixed =
            label === undefined
              ? clearSpan(fixed, from, end)
              : markSpan(fixed, { label, start: from, end });
          const shown = fixed.slice(from, end);
          const wanted = shown.map((_, i) =>
            label === undefined ? 'O' : `${i === 0 ? 'B' : 'I'}-${label}`,
          );
          expect(shown).toEqual(wanted);
        }
        for (const [t, tag] of fixed.entries()) {
          if (tag?.startsWith('I-'))
            expect(schemeAllows('BIO', fixed[t - 1] ?? 'O', tag)).toBe(true);
        }
        const constraints = constraintsOf(fixed, true);
        for (const [t, tag] of fixed.entries()) {
          if (tag !== null) expect(constraints[t]).toEqual([tag]);
          else if (t > 0 && fixed[t - 1] !== null && fixed[t - 1] !== 'O')
            expect(constraints[t]).toEqual({ not: [`I-${fixed[t - 1]!.slice(2)}`] });
          else expect(constraints[t]).toBeUndefined();
        }
      }),
    );
  });
});
