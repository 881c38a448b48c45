import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptLabels } from '../../../../src/engine/text/labels/script-labels.js';

const token = (form: string, tag: string | undefined, value: string) => ({ form, tag, value });

const english = [
  ...[token('dogs', 'NOUN', 'dog'), token('cats', 'NOUN', 'cat'), token('walks', 'VERB', 'walk')],
  ...[token('was', 'AUX', 'be'), token('was', 'AUX', 'be'), token('Paris', 'PROPN', 'Paris')],
  ...[token('left', 'VERB', 'leave'), token('left', 'VERB', 'leave'), token('left', 'ADJ', 'left')],
  ...[
    token('found', 'VERB', 'find'),
    token('found', 'VERB', 'find'),
    token('found', 'VERB', 'found'),
  ],
];

describe('scriptLabels', () => {
  const codec = scriptLabels.learn(english);

  it('gives words of one kind one label, and back', () => {
    const label = codec.encode({ form: 'birds', tag: 'NOUN' }, 'bird')!;
    expect(label).toBe('l*-1');
    expect(codec.decode({ form: 'Trees', tag: 'NOUN' }, label)).toBe('tree');
  });

  it('looks words of the training data up, by their tag, whatever the label', () => {
    expect(codec.decode({ form: 'left', tag: 'VERB' }, 'l*-1')).toBe('leave');
    expect(codec.decode({ form: 'left', tag: 'ADJ' }, 'l*-1')).toBe('left');
    expect(codec.decode({ form: 'left', tag: 'NOUN' }, 'l*-1')).toBe('lef');
    expect(codec.decode({ form: 'WAS', tag: 'AUX' }, 'l*-1')).toBe('be');
    expect(codec.settled?.({ form: 'WAS', tag: 'AUX' })).toBe('be');
    expect(codec.settled?.({ form: 'wars', tag: 'AUX' })).toBeUndefined();
  });

  it('lets the label choose between the lemmas of a word, the most frequent one where it says neither', () => {
    const found = { form: 'found', tag: 'VERB' };
    expect(codec.settled?.(found)).toBeUndefined();
    expect(codec.decode(found, codec.encode(found, 'find')!)).toBe('find');
    expect(codec.decode(found, codec.encode(found, 'found')!)).toBe('found');
    expect(codec.decode(found, 'l*-1')).toBe('find');
  });

  it('shares a label between words whose script is theirs alone', () => {
    expect(codec.encode({ form: 'was', tag: 'AUX' }, 'be')).toBe('?');
    expect(codec.encode({ form: 'left', tag: 'VERB' }, 'leave')).toBe('?');
    expect(codec.decode({ form: 'Xyz', tag: 'X' }, '?')).toBe('Xyz');
  });

  it('leaves a form as it is where a label is no script or does not fit', () => {
    for (const label of ['l*-3', 'none', '', 'l*-9+x']) {
      expect(codec.decode({ form: 'Ox', tag: 'NOUN' }, label)).toBe('Ox');
    }
  });

  it('prefers lemmas that it knows with the tag to likelier scripts', () => {
    const labels = ['l*', 'l*-1', 'l*-2'];
    const probabilities = [9, 0.6, 0.3, 0.1];
    const choose = (form: string, tag: string) =>
      codec.choose?.({ form, tag }, labels, probabilities, 1);
    expect(choose('dotes', 'NOUN')).toBe('dotes');
    expect(choose('dogen', 'NOUN')).toBe('dog');
    expect(choose('dogen', 'VERB')).toBe('dogen');
    expect(choose('was', 'AUX')).toBe('be');
    expect(codec.choose?.({ form: 'a', tag: 'X' }, ['?'], [1], 0)).toBe('a');
    // A script that is a known lemma itself has no advantage.
    expect(codec.choose?.({ form: 'm', tag: 'AUX' }, ['=be', 'l*'], [0.4, 0.6], 0)).toBe('m');
  });

  it('learns nothing from words without a value', () => {
    const few = scriptLabels.learn([token('a', 'X', '_'), token('_', 'SYM', '_')]);
    expect(few.settled?.({ form: 'a', tag: 'X' })).toBeUndefined();
    expect(few.settled?.({ form: '_', tag: 'SYM' })).toBe('_');
  });

  it('takes letters apart where that makes scripts more alike', () => {
    const accents = [
      ...['άλφα', 'έψιλον', 'όμικρον', 'ήτα', 'ύψιλον', 'ίχνος'].map(lemma =>
        token(lemma.normalize('NFD').replaceAll('\u0301', '').normalize('NFC'), 'NOUN', lemma),
      ),
    ];
    const greek = scriptLabels.learn(accents);
    expect(greek.encode({ form: 'ώμος', tag: 'NOUN' }, 'ώμος')).toBe('L*');
    expect(new Set(accents.map(each => greek.encode(each, each.value))).size).toBe(1);
    expect(codec.encode({ form: 'x', tag: 'X' }, 'x')).toBe('l*');
  });

  it('has no label where there is no value', () => {
    expect(codec.encode({ form: 'x', tag: 'X' }, '_')).toBeUndefined();
    expect(codec.encode({ form: '_', tag: 'X' }, '_')).toBe('l*');
  });

  it('gives back each value that it learned, also after it was stored', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'B', 'é', 's', '가'), maxLength: 5 });
    const tags = fc.constantFrom('NOUN', 'VERB', undefined);
    const tokens = fc.array(fc.record({ form: texts, tag: tags, value: texts }), { maxLength: 30 });
    fc.assert(
      fc.property(tokens, learned => {
        const first = scriptLabels.learn(learned);
        const second = scriptLabels.read(JSON.parse(JSON.stringify(first)));
        for (const each of learned) {
          const label = first.encode(each, each.value)!;
          expect(first.decode(each, label)).toBe(each.value);
          expect(second?.encode(each, each.value)).toBe(label);
          expect(second?.decode(each, label)).toBe(each.value);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not take what is no codec of scripts', () => {
    const good = JSON.stringify(codec);
    const damaged = (change: (stored: Record<string, unknown[]>) => void) => {
      const stored = JSON.parse(good);
      change(stored);
      return scriptLabels.read(stored);
    };
    expect(damaged(() => undefined)).toBeDefined();
    for (const name of ['decompose', 'rare', 'scripts', 'tags', 'words']) {
      expect(damaged(stored => delete stored[name])).toBeUndefined();
      expect(damaged(stored => Object.assign(stored, { [name]: [{}] }))).toBeUndefined();
      expect(damaged(stored => Object.assign(stored, { [name]: null }))).toBeUndefined();
    }
    expect(damaged(({ scripts }) => scripts!.splice(0, 1, 'x*'))).toBeUndefined();
    expect(damaged(({ scripts }) => scripts!.pop())).toBeUndefined();
    expect(damaged(({ words }) => words!.push([0, [], ['a']]))).toBeUndefined();
    expect(damaged(({ words }) => words!.push([-1, [0], ['a']]))).toBeUndefined();
    expect(damaged(({ words }) => words!.push([0, [0.5], ['a']]))).toBeUndefined();
    expect(damaged(({ words }) => words!.push([0, [0], [1]]))).toBeUndefined();
  });
});
