import { describe, expect, it } from 'vitest';
import { DriftWatch } from '../../src/metrics/drift-watch.js';

const codes = (watch: DriftWatch, ...scores: Parameters<DriftWatch['warnings']>) =>
  watch.warnings(...scores).map(({ code }) => code);

const accuracy = (value: number) => ({ sentences: 9, tokens: 9, accuracy: value });
const f1 = (value: number) => ({ ...accuracy(99), precision: 0, recall: 0, f1: value });

describe('a model that predicts one label only', () => {
  it('is warned of after so many sentences, once, and again when it has recovered', () => {
    const watch = new DriftWatch({ sentences: 3 });
    const seen = (predicted: string[]) => {
      watch.see(['N', 'V'], predicted);
      return codes(watch);
    };
    expect(seen(['N', 'N'])).toEqual([]);
    expect(seen(['N', 'N'])).toEqual([]);
    watch.see(['N', 'V'], ['N', 'N']);
    const [warning] = watch.warnings();
    expect(warning!.message).toBe(
      'the model predicted nothing but "N" in the last 3 labelled sentences, whose tags are several',
    );
    expect(seen(['N', 'N'])).toEqual([]);
    expect(seen(['N', 'V'])).toEqual([]);
    expect([seen(['V', 'V']), seen(['V', 'V']), seen(['V', 'V'])]).toEqual([[], [], ['one-label']]);
  });

  it('is not warned of while the gold tags are of one label as well', () => {
    const watch = new DriftWatch({ sentences: 3 });
    watch.see(['N', 'V'], ['N', 'N']);
    for (let i = 0; i < 2; i += 1) watch.see(['N', 'N'], ['N', 'N']);
    // Of the last three, one has a V.
    expect(codes(watch)).toEqual(['one-label']);
    const other = new DriftWatch({ sentences: 3 });
    other.see(['N', 'V'], ['N', 'V']);
    for (let i = 0; i < 20; i += 1) {
      other.see(['N', 'N'], ['N', 'N']);
      expect(codes(other)).toEqual([]);
    }
    other.see(['V'], ['N']);
    expect(codes(other)).toEqual(['one-label']);
  });

  it('counts anew when the one label is another', () => {
    const watch = new DriftWatch({ sentences: 2 });
    const seen = (label: string) => {
      watch.see(['N', 'V'], [label, label]);
      return codes(watch);
    };
    expect([seen('N'), seen('V'), seen('N'), seen('N')]).toEqual([[], [], [], ['one-label']]);
  });
});

describe('a score that falls', () => {
  it('is warned of at the drop, once, until it is back to within half of it', () => {
    const watch = new DriftWatch({ drop: 10 });
    expect(codes(watch, accuracy(80.5), accuracy(90))).toEqual([]);
    expect(watch.warnings(accuracy(80), accuracy(90))[0]!.message).toBe(
      'accuracy has fallen to 80.00, 10.00 below the 90.00 of the long run: the stream may have changed',
    );
    expect(codes(watch, accuracy(60), accuracy(89))).toEqual([]);
    expect(codes(watch, accuracy(84), accuracy(89))).toEqual([]);
    expect(codes(watch, accuracy(70), accuracy(89))).toEqual([]);
    expect(codes(watch, accuracy(84.5), accuracy(89))).toEqual([]);
    expect(codes(watch, accuracy(70), accuracy(89))).toEqual(['score-drop']);
  });

  it('is F1 where the tags mark spans, and never a rise', () => {
    const watch = new DriftWatch({ drop: 5 });
    expect(codes(watch, f1(95), f1(60))).toEqual([]);
    expect(watch.warnings(f1(60), f1(70.5))[0]!.message).toMatch(
      /^F1 has fallen to 60\.00, 10\.50 below the 70\.50/,
    );
  });

  it('is not looked for without scores', () => {
    expect(codes(new DriftWatch({ drop: 1 }))).toEqual([]);
  });
});

describe('DriftWatch', () => {
  it('resumes from a saved state, episodes included', () => {
    const watch = new DriftWatch({ sentences: 2, drop: 10 });
    watch.see(['N', 'V'], ['N', 'N']);
    const early = new DriftWatch({ sentences: 2, drop: 10 });
    early.restore(JSON.parse(JSON.stringify(watch.save())));
    for (const each of [watch, early]) {
      each.see(['N', 'V'], ['N', 'N']);
      expect(codes(each, accuracy(50), accuracy(90))).toEqual(['one-label', 'score-drop']);
    }
    const late = new DriftWatch({ sentences: 2, drop: 10 });
    late.restore(JSON.parse(JSON.stringify(watch.save())));
    late.see(['N', 'V'], ['N', 'N']);
    expect(codes(late, accuracy(50), accuracy(90))).toEqual([]);
    // What was restored is apart from what it came from.
    expect(watch.save()).not.toEqual(late.save());
  });

  it.each([{ sentences: 0 }, { sentences: 1.5 }, { drop: 0 }, { drop: 101 }, { drop: Number.NaN }])(
    'refuses %o',
    options => {
      expect(() => new DriftWatch(options)).toThrow('drift is warned of after');
    },
  );
});
