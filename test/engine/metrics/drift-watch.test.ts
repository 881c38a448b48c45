import { describe, expect, it } from 'vitest';
import { DriftWatch } from '../../../src/engine/metrics/drift-watch.js';
import { WordMemory } from '../../../src/engine/metrics/word-memory.js';

const codes = (watch: DriftWatch, spans = false) => watch.warnings(spans).map(({ code }) => code);

/** Sentences of ten tokens, `wrong` of which have another tag than the gold one, with a little noise of its own. */
function see(watch: DriftWatch, count: number, wrong: number): string[] {
  const seen: string[] = [];
  const gold = Array.from({ length: 10 }, (_, i) => 'NVDAP'[i % 5]!);
  for (let i = 0; i < count; i += 1) {
    const errors = wrong + (i % 3) - 1;
    watch.see(
      gold,
      gold.map((tag, t) => (t < errors ? 'X' : tag)),
    );
    seen.push(...codes(watch));
  }
  return seen;
}

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
    const [warning] = watch.warnings(false);
    expect(warning!.message).toBe(
      'the model predicted only "N" in the last 3 labelled sentences, which have several tags',
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

describe('errors that become more', () => {
  it('are reported soon, once, and again after they were fewer', () => {
    const watch = new DriftWatch();
    expect(see(watch, 1000, 1)).toEqual([]);
    expect(see(watch, 15, 5)).toEqual(['score-drop']);
    expect(see(watch, 50, 5)).toEqual([]);
    expect(see(watch, 300, 1)).toEqual([]);
    expect(see(watch, 20, 6)).toEqual(['score-drop']);
  });

  it('are reported with both scores', () => {
    const watch = new DriftWatch();
    see(watch, 300, 1);
    for (let i = 0; i < 20; i += 1) watch.see(['N', 'V', 'D', 'N'], ['V', 'N', 'V', 'V']);
    expect(watch.warnings(false)[0]!.message).toMatch(
      /^accuracy fell to \d\d\.\d\d in the last sentences, \d\d\.\d\d below the usual \d\d\.\d\d: the stream may have changed$/,
    );
  });

  it('become the usual ones when they last, and fewer errors are no drift', () => {
    const watch = new DriftWatch({ usual: 100, recent: 10 });
    expect(see(watch, 1000, 5)).toEqual([]);
    expect(see(watch, 1000, 1)).toEqual([]);
    expect(see(watch, 1000, 5)).toEqual(['score-drop']);
    expect(see(watch, 1000, 8)).toEqual(['score-drop']);
  });

  it('are those of spans where the tags mark spans', () => {
    const watch = new DriftWatch();
    // One token in twenty is in a span: accuracy hardly falls when none is found any more.
    const gold = ['B-A', ...Array.from({ length: 19 }, () => 'O')];
    const none = gold.map(() => 'O');
    for (let i = 0; i < 1000; i += 1) watch.see(gold, i % 5 === 0 ? none : gold);
    expect(codes(watch, true)).toEqual([]);
    for (let i = 0; i < 30; i += 1) watch.see(gold, none);
    expect(watch.warnings(true)[0]!.message).toMatch(/^F1 fell to/);
  });

  it('are not compared with those of a few sentences', () => {
    const watch = new DriftWatch();
    see(watch, 100, 1);
    expect(see(watch, 50, 9)).toEqual([]);
  });
});

describe('labels that were not there before', () => {
  const watched = (watch: DriftWatch, count: number, tags: (i: number) => string[]) => {
    const seen: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const gold = tags(i);
      watch.see(gold, gold);
      seen.push(...watch.warnings(false).map(({ code, message }) => `${code}: ${message}`));
    }
    return seen;
  };
  const old = (i: number) => ['N', 'V', i % 2 === 0 ? 'D' : 'A'];

  it('are named once, and others after them again', () => {
    const watch = new DriftWatch();
    expect(watched(watch, 300, old)).toEqual([]);
    expect(watched(watch, 100, () => ['N', 'NX', 'VX'])).toEqual([
      'new-labels: 26 % of the labels in the last sentences are new: NX, VX',
    ]);
    expect(watched(watch, 100, () => ['N', 'NX', 'P'])[0]).toContain('are new: P');
  });

  it('are not named where they are few, outside of spans, or at the beginning', () => {
    const watch = new DriftWatch();
    expect(watched(watch, 100, i => [`L${i}`, 'N'])).toEqual([]);
    expect(watched(watch, 200, old)).toEqual([]);
    // One of ten.
    expect(
      watched(watch, 100, i => [...old(i), ...old(i), ...old(i), i < 60 ? 'RARE' : 'N']),
    ).toEqual([]);
    expect(watched(watch, 100, i => [...old(i), 'O', 'O'])).toEqual([]);
    expect(watched(new DriftWatch({ newLabels: 5 }), 190, i => [`L${i}`])).toEqual([]);
  });
});

describe('words that were not there before', () => {
  const tags = Array.from({ length: 10 }, (_, i) => 'NV'[i % 2]!);
  /** Ten words, so many of which are new. */
  const codesOf = (watch: DriftWatch, count: number, fresh: number, prefix: string) => {
    const seen: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const many = fresh + (i % 3) - 1;
      const words = tags.map((_, t) => (t < many ? `${prefix}${i}-${t}` : `w${t}`));
      watch.see(tags, tags, words);
      seen.push(...codes(watch));
    }
    return seen;
  };

  it('are reported where they are far more than usual, once', () => {
    const watch = new DriftWatch();
    expect(codesOf(watch, 500, 1, 'a')).toEqual([]);
    expect(codesOf(watch, 60, 5, 'b')).toEqual(['new-words']);
    expect(codesOf(watch, 300, 1, 'c')).toEqual([]);
    expect(codesOf(watch, 20, 6, 'd')).toEqual(['new-words']);
  });

  it('are not reported where they are a little more, or are not watched', () => {
    const watch = new DriftWatch();
    expect(codesOf(watch, 500, 1, 'a')).toEqual([]);
    expect(codesOf(watch, 60, 2, 'b')).toEqual([]);
    const never = new DriftWatch({ newWords: 100 });
    expect(codesOf(never, 500, 1, 'a')).toEqual([]);
    expect(codesOf(never, 60, 9, 'b')).toEqual([]);
  });

  it('are the same after a restart', () => {
    const watch = new DriftWatch();
    codesOf(watch, 500, 1, 'a');
    const again = new DriftWatch();
    again.restore(structuredClone(watch.save()));
    expect(codesOf(again, 500, 1, 'a')).toEqual([]);
    expect(codesOf(again, 60, 5, 'b')).toEqual(['new-words']);
  });
});

describe('WordMemory', () => {
  it('forgets the words that came long ago, and no others', () => {
    const memory = new WordMemory();
    const words = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${name}${i}`);
    const first = words('first', 100);
    expect(memory.addNew(first)).toBe(100);
    expect(memory.addNew([...first, ...first])).toBe(0);
    memory.addNew(words('other', 150_000));
    // In the older half.
    expect(memory.addNew(first)).toBe(0);
    memory.addNew(words('more', 400_000));
    expect(memory.addNew(first)).toBeGreaterThan(60);
  });
});

describe('DriftWatch', () => {
  it('resumes from a saved state, episodes included', () => {
    const watch = new DriftWatch({ sentences: 2 });
    watch.see(['N', 'V'], ['N', 'N']);
    const early = new DriftWatch({ sentences: 2 });
    early.restore(structuredClone(watch.save()));
    for (const each of [watch, early]) {
      each.see(['N', 'V'], ['N', 'N']);
      expect(codes(each)).toEqual(['one-label']);
    }
    const late = new DriftWatch({ sentences: 2 });
    late.restore(structuredClone(watch.save()));
    late.see(['N', 'V'], ['N', 'N']);
    expect(codes(late)).toEqual([]);
    // The errors before the restart count.
    const before = new DriftWatch();
    see(before, 1000, 1);
    const after = new DriftWatch();
    after.restore(structuredClone(before.save()));
    expect(see(after, 20, 5)).toEqual(['score-drop']);
    expect(() => after.restore({ ...before.save(), arrays: {} })).toThrow('incomplete');
    // What was restored is apart from what it came from.
    expect(watch.save()).not.toEqual(late.save());
  });

  it.each([
    ...[
      { sentences: 0 },
      { sentences: 1.5 },
      { newWords: 0 },
      { newLabels: 101 },
      { drop: 0 },
      { drop: 101 },
      { drop: Number.NaN },
    ],
    ...[{ deviations: 0 }, { recent: 0 }, { recent: 1000 }, { usual: 30 }],
  ])('refuses %o', options => {
    expect(() => new DriftWatch(options)).toThrow('invalid drift options');
  });
});
