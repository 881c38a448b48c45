import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyScript, editScript } from '../../../../src/engine/text/labels/edit-script.js';

/** The least cost of edits that keep a letter, by trying all of them: a letter costs 1, a change 3 more. */
function leastCost(from: string, to: string, changing = false, kept = false): number {
  if (from === '' && to === '') return kept ? 0 : Number.POSITIVE_INFINITY;
  const begin = changing ? 1 : 4;
  let least = Number.POSITIVE_INFINITY;
  if (from !== '' && from[0] === to[0]) least = leastCost(from.slice(1), to.slice(1), false, true);
  if (from !== '') least = Math.min(least, begin + leastCost(from.slice(1), to, true, kept));
  if (to !== '') least = Math.min(least, begin + leastCost(from, to.slice(1), true, kept));
  return least;
}

/** What a script costs, from its text. */
function costOf(script: string): number {
  const changes = script.match(/-\d+(?:\+[^-+>*]+)?|\+[^-+>*]+/gu) ?? [];
  let cost = 0;
  for (const change of changes) {
    const [, cut = '0', put = ''] = /^(?:-(\d+))?(?:\+(.*))?$/su.exec(change)!;
    cost += 3 + Number(cut) + [...put].length;
  }
  return cost;
}

describe('editScript', () => {
  it('finds the cheapest edits that there are', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(words, words, (form, lemma) => {
        const script = editScript(form, lemma);
        const least = leastCost(form, lemma);
        const whole = form.length + lemma.length + 3;
        if (script.startsWith('=')) expect(least).toBeGreaterThanOrEqual(whole);
        else expect(costOf(script)).toBe(least);
      }),
      { numRuns: 600 },
    );
  });

  it('is undone by applyScript, for all texts of all scripts', () => {
    const unit = fc.oneof(
      fc.constantFrom(...'aAIıİiσςΣßſÉ가Ǆ-+>*\\=?0 '),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom('\u0301', '\u0345', '\ud800', '\udc00', '\n', '\u1fb3'),
    );
    const texts = fc.array(unit, { maxLength: 9 }).map(parts => parts.join(''));
    fc.assert(
      fc.property(texts, texts, texts, fc.boolean(), (a, b, c, decompose) => {
        for (const [form, lemma] of [
          [a, b],
          [a + b + c, b],
          [a + b, a.toLowerCase() + c],
        ] as const) {
          expect(applyScript(form, editScript(form, lemma, { decompose }))).toBe(lemma);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('gives one script to words of one kind', () => {
    const pairs = { dogs: 'dog', Dogs: 'dog', CATS: 'cat', Mice: 'mice', x: 'x' };
    expect(Object.entries(pairs).map(([form, lemma]) => editScript(form, lemma))).toEqual([
      ...['l*-1', 'l*-1', 'l*-1', 'l*', 'l*'],
    ]);
    expect(editScript('Obamas', 'Obama')).toBe('s*-1');
    expect(editScript('PARIS', 'Paris')).toBe('t*');
    expect(editScript('gearbeitet', 'arbeiten')).toBe('l-2*-1+n');
  });

  it('counts letters, not their units, at the end of a word', () => {
    expect(applyScript('ab\u{1d49c}', 'l*-1+y')).toBe('aby');
    expect(applyScript('a\u{1d49c}b', 'l*-1')).toBe('a\u{1d49c}');
    expect(applyScript('\u{1d49c}', 'l*-1')).toBeUndefined();
    expect(applyScript('ab', 'l*-2')).toBeUndefined();
    expect(applyScript('', 'l*+y')).toBeUndefined();
    expect(applyScript('', 'l*')).toBeUndefined();
  });

  it('knows both letters i of Turkish', () => {
    expect(editScript('İşler', 'iş')).toBe('l*-3');
    expect(editScript('Işıklar', 'ışık')).toBe('d*-3');
    expect(editScript('Irak', 'Irak')).toBe('s*');
  });

  it('moves accents by themselves where letters are taken apart', () => {
    const decompose = true;
    const script = editScript('ανθρώπους', 'άνθρωπος', { decompose });
    expect(script[0]).toBe('L');
    expect(editScript('almát', 'alma', { decompose })).toBe('L*-2');
    expect(applyScript('körtét', 'L*-2')).toBe('körte');
    // What is not normalised is not taken apart.
    expect(editScript('a\u0301t', 'a\u0301', { decompose })).toBe('l*-1');
  });

  it('leaves what is very long to the lemma itself', () => {
    const long = 'ab'.repeat(2000);
    expect(editScript(long, long)).toBe('l*');
    expect(editScript(long, `${long}c`)).toBe(`=${long}c`);
  });
});

describe('applyScript', () => {
  it.each(['', 'x*', 'l', 'l*-', 'l*>', 'l*+', 'l*-1*', 'l*\\', 'l*+a\\', 'l-1-*', '?', 'NOUN'])(
    'takes %j for no script',
    script => {
      expect(applyScript('word', script)).toBeUndefined();
    },
  );

  it.each(['l*-4', 'l-4*', 'l>2*>2', 'l-2*-2+x', `l*-${'9'.repeat(400)}`])(
    'finds that %s does not fit a word of four letters',
    script => {
      expect(applyScript('word', script)).toBeUndefined();
    },
  );
});
