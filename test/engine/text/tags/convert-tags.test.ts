import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { convertTags } from '../../../../src/engine/text/tags/convert-tags.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';

describe('convertTags', () => {
  // One sequence of spans, in every scheme: A [0,3), A [3,4), B [4,5), A [6,8).
  const schemes = {
    BIO: 'B-A I-A I-A B-A B-B O B-A I-A',
    IOB1: 'I-A I-A I-A B-A I-B O I-A I-A',
    BIOES: 'B-A I-A E-A S-A S-B O B-A E-A',
  } as const;
  const names = ['BIO', 'IOB1', 'BIOES'] as const;

  for (const from of names) {
    it.each(names)(`from ${from} to %s`, to => {
      expect(convertTags(schemes[from].split(' '), to).join(' ')).toBe(schemes[to]);
    });

    it(`from ${from} to IO merges neighbours of one label`, () => {
      expect(convertTags(schemes[from].split(' '), 'IO').join(' ')).toBe(
        'I-A I-A I-A I-A I-B O I-A I-A',
      );
    });
  }

  it('writes tags without type where there is none', () => {
    expect(convertTags(['B', 'I', 'B', 'O'], 'BIOES')).toEqual(['B', 'E', 'S', 'O']);
    expect(convertTags(['B', 'I', 'B', 'O'], 'IOB1')).toEqual(['I', 'I', 'B', 'O']);
  });

  it('keeps hyphens in types', () => {
    expect(convertTags(['I-a-b', 'I-a-b'], 'BIOES')).toEqual(['B-a-b', 'E-a-b']);
  });

  it('makes O of what is in no span', () => {
    expect(convertTags(['NN', '.', 'O-A', 'B-A'], 'BIO')).toEqual(['O', 'O', 'O', 'B-A']);
  });

  it('changes nothing that it is given, and takes no tags', () => {
    const tags = Object.freeze(['I-A', 'I-A']);
    expect(convertTags(tags, 'BIO')).toEqual(['B-A', 'I-A']);
    expect(tags).toEqual(['I-A', 'I-A']);
    expect(convertTags([], 'BIO')).toEqual([]);
  });
});

describe('conversions of any tags', () => {
  /** Valid BIO: stretches of O and spans. */
  const validBio = fc
    .array(
      fc.tuple(fc.constantFrom('', 'A', 'B', 'a-b', undefined), fc.integer({ min: 1, max: 4 })),
      { maxLength: 8 },
    )
    .map(stretches =>
      stretches.flatMap(([label, length]) =>
        Array.from({ length }, (_, t) => {
          if (label === undefined) return 'O';
          return `${t === 0 ? 'B' : 'I'}${label === '' ? '' : `-${label}`}`;
        }),
      ),
    );
  const anyTags = fc.array(
    fc.constantFrom(
      ...['O', 'B', 'I', 'E', 'S', '.', '[', ']', 'NN', '', '-', '--', 'O-A', '.-A', '[-A', ']-A'],
      ...['B-A', 'I-A', 'E-A', 'S-A', 'U-A', 'B-B', 'I-B', 'E-B', 'S-B', 'I-A-B', 'B-'],
    ),
    { maxLength: 14 },
  );
  const settings = { seed: 3, numRuns: 1000 };

  it('valid BIO comes back from BIOES and from IOB1 as it was', () => {
    fc.assert(
      fc.property(validBio, tags => {
        expect(convertTags(tags, 'BIO')).toEqual(tags);
        expect(convertTags(convertTags(tags, 'BIOES'), 'BIO')).toEqual(tags);
        expect(convertTags(convertTags(tags, 'IOB1'), 'BIO')).toEqual(tags);
      }),
      settings,
    );
  });

  it('BIO, IOB1 and BIOES keep the spans of any tags', () => {
    fc.assert(
      fc.property(anyTags, fc.constantFrom('BIO', 'IOB1', 'BIOES'), (tags, to) => {
        const converted = convertTags(tags, to);
        expect(converted).toHaveLength(tags.length);
        expect(spansOf(converted)).toEqual(spansOf(tags));
      }),
      settings,
    );
  });

  it('IO keeps the label of every token', () => {
    const labelOfTokens = (tags: readonly string[]) => {
      const labels: (string | undefined)[] = tags.map(() => undefined);
      for (const { label, start, end } of spansOf(tags)) labels.fill(label, start, end);
      return labels;
    };
    fc.assert(
      fc.property(anyTags, tags => {
        expect(labelOfTokens(convertTags(tags, 'IO'))).toEqual(labelOfTokens(tags));
      }),
      settings,
    );
  });

  it('doing it twice is doing it once', () => {
    fc.assert(
      fc.property(anyTags, fc.constantFrom('IO', 'BIO', 'IOB1', 'BIOES'), (tags, to) => {
        const once = convertTags(tags, to);
        expect(convertTags(once, to)).toEqual(once);
      }),
      settings,
    );
  });
});
