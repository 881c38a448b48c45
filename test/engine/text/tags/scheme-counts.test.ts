import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Span } from '../../../../src/engine/core/sentence/sentence.js';
import { convertTags, tagsOfScheme } from '../../../../src/engine/text/tags/convert-tags.js';
import {
  describeSchemes,
  detectScheme,
  SchemeCounts,
} from '../../../../src/engine/text/tags/detect-scheme.js';
import { SpanOpenings } from '../../../../src/engine/text/tags/span-openings.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';
import {
  type SpanScheme,
  schemeNamed,
  spanSchemes,
} from '../../../../src/engine/text/tags/tag-scheme.js';

/** Spans of a sentence: gaps before each, lengths, labels. */
const sentence = fc
  .array(
    fc.record({
      gap: fc.integer({ min: 0, max: 2 }),
      length: fc.integer({ min: 1, max: 4 }),
      label: fc.constantFrom('A', 'B-c'),
    }),
    { maxLength: 5 },
  )
  .map(parts => {
    const spans: Span[] = [];
    let at = 0;
    for (const { gap, length, label } of parts) {
      const start = at + gap;
      at = start + length;
      spans.push({ label, start, end: at });
    }
    return { spans, length: at + 1 };
  });

/** Spans of all shapes, by which every scheme differs from every other. */
const telling: { spans: Span[]; length: number } = {
  spans: [
    { label: 'A', start: 0, end: 1 },
    { label: 'A', start: 1, end: 3 },
    { label: 'A', start: 3, end: 6 },
    { label: 'B-c', start: 7, end: 8 },
    { label: 'A', start: 9, end: 12 },
  ],
  length: 13,
};

const countsOf = (...sentences: readonly (readonly string[])[]) => {
  const counts = new SchemeCounts();
  for (const tags of sentences) counts.add(tags);
  return counts;
};

describe.each(spanSchemes)('%s', scheme => {
  it('keeps all spans, but IO those that touch', () => {
    fc.assert(
      fc.property(sentence, ({ spans, length }) => {
        const touches = spans.some(
          (s, i) => spans[i - 1]?.end === s.start && spans[i - 1]?.label === s.label,
        );
        fc.pre(scheme !== 'IO' || !touches);
        expect(spansOf(tagsOfScheme(spans, length, scheme))).toEqual(spans);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('is found in a data set that is written in it', () => {
    const { spans, length } = telling;
    const tags = tagsOfScheme(spans, length, scheme);
    const counts = countsOf(tags, ['O']);
    expect([counts.scheme, counts.broken(scheme)]).toEqual([scheme, 0]);
    expect(counts.reason).toBe(`${spansOf(tags).length} spans, as ${scheme} writes them`);
  });

  it.each(spanSchemes)('and %s convert into each other', other => {
    fc.assert(
      fc.property(sentence, ({ spans, length }) => {
        const tags = tagsOfScheme(spans, length, scheme);
        const converted = convertTags(tags, other);
        if (other !== 'IO') expect(spansOf(converted)).toEqual(spansOf(tags));
        if (scheme !== 'IO' && other !== 'IO') expect(convertTags(converted, scheme)).toEqual(tags);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it.each(spanSchemes)('differs from %s where accuracy would suffer', other => {
    const { spans, length } = telling;
    const found = countsOf(tagsOfScheme(spans, length, scheme)).differsFrom(other);
    // Those that only differ at spans that touch are one to the eye.
    const inside: readonly SpanScheme[] = ['IO', 'IOB1'];
    const isOne = scheme === other || (inside.includes(scheme) && inside.includes(other));
    if (isOne) expect(found).toBeUndefined();
    else if (![scheme, other].includes('IOE1'))
      expect(found).toEqual({ gold: scheme, model: other });
  });
});

describe('SchemeCounts', () => {
  it('stays with the scheme that most spans are written in', () => {
    const counts = countsOf(
      ['B-A', 'I-A', 'O', 'B-A'],
      ['O', 'I-A'],
      ['B-A', 'I-A'],
      ['B-A', 'O', 'odd'],
    );
    expect([counts.scheme, counts.broken('BIO'), counts.openings]).toEqual(['BIO', 1, 1]);
    expect(counts.odd).toEqual(['odd']);
    expect(counts.differsFrom('BIO')).toBeUndefined();
    expect(counts.reason).toBe('5 spans, as BIO writes them but for 1');
  });

  it('knows that a data set marks no spans', () => {
    expect(countsOf(['NOUN', 'VERB'], ['O']).scheme).toBe('none');
    expect(countsOf(['B', 'I'], ['S']).scheme).toBe('none');
    expect(countsOf(['PER', 'O']).differsFrom('BIO')).toEqual({ gold: 'none', model: 'BIO' });
    expect(countsOf(['O', 'O']).differsFrom('BIO')).toBeUndefined();
    expect(countsOf(['B-A', 'O']).differsFrom('none')).toBeUndefined();
  });

  it('says what differs', () => {
    expect(describeSchemes({ gold: 'IOB1', model: 'BIO' })).toContain('the gold tags are IOB1');
    expect(describeSchemes({ gold: 'none', model: 'BIO' })).toContain('mark no spans');
  });
});

describe('schemeNamed', () => {
  it('knows every name', () => {
    for (const scheme of spanSchemes) expect(schemeNamed(scheme.toLowerCase())).toBe(scheme);
    expect(['IOB2', 'IOB', 'IOBES', 'IOE', 'BMEOW'].map(schemeNamed)).toEqual([
      ...['BIO', 'IOB1', 'BIOES', 'IOE2', 'BMEWO'],
    ]);
    expect(() => schemeNamed('BIOX')).toThrow('unknown tag scheme "BIOX"');
  });
});

describe('SpanOpenings', () => {
  const seen = (...sentences: readonly string[]) => {
    const openings = new SpanOpenings();
    for (const [i, tags] of sentences.entries()) openings.see(tags.split(' '), () => `a:${i + 1}`);
    return openings;
  };

  it.each([
    ['BIO', 'B-A I-A O B-B I-B', 'B-A I-A', 'O I-A', 'B-A'],
    ['BIOES', 'B-A I-A E-A O S-B', 'S-A', 'O I-A E-A', 'B-A or S-A'],
    ['BIOES', 'B-A I-A E-A O S-B', 'S-A', 'O E-A', 'B-A or S-A'],
    ['BILOU', 'B-A I-A L-A O U-B', 'U-A', 'O L-A', 'B-A or U-A'],
  ])('are named in %s', (scheme, first, second, odd, right) => {
    const { count, warning } = seen(first, second, odd);
    expect(count).toBe(1);
    expect(warning).toContain(`in ${scheme} only continues one, the first at a:3: token 2 is`);
    expect(warning).toContain(`should be ${right}`);
  });

  it('are counted at the start, after O, and after another type', () => {
    const { count, warning } = seen(
      'B-A I-A B-A',
      'I-A O I-A',
      'B-A I-B',
      'B-A O',
      'B-A',
      'B-B I-B',
      'B-B',
    );
    expect(count).toBe(3);
    expect(warning).toContain('3 of 10 spans begin');
    expect(warning).toContain('a:2: token 1 is I-A at the start of the sentence');
  });

  it.each(['I-A O I-B B-B', 'I-A I-A O', 'I-A E-A E-A', 'B-A I-A', 'NOUN VERB'])(
    'none in %s',
    tags => {
      expect(seen(tags).warning).toBeUndefined();
    },
  );
});

describe('detectScheme', () => {
  it('agrees with what each scheme writes', () => {
    const { spans, length } = telling;
    for (const scheme of spanSchemes) {
      const tags = tagsOfScheme(spans, length, scheme);
      const shown = { IOB1: 'BIO', IOE1: 'IOE2' }[scheme as string] ?? scheme;
      expect(detectScheme(tags)).toBe(shown);
    }
  });
});
