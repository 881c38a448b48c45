import { describe, expect, it } from 'vitest';
import {
  simulatedOptions,
  simulatedWords,
} from '../../../../src/runtime/io/simulated/simulated-words.js';

function draw(options: Record<string, unknown>) {
  return [...simulatedWords(simulatedOptions.parse(options))].map(line => {
    const [word, tags] = line.trimEnd().split('\t');
    return { word: word!, tags: tags! };
  });
}

/** How often `wanted` holds among the tokens, or pairs of neighbours, for which `given` holds. */
function share<T>(items: readonly T[], given: (x: T) => boolean, wanted: (x: T) => boolean) {
  const chosen = items.filter(given);
  return chosen.filter(wanted).length / chosen.length;
}

describe('sequences of the simulated model', () => {
  const drawn = draw({ sequences: 4000, length: 5, seed: 7, emission: 0.8, transition: 0.6 });
  const tokens = drawn.flatMap(({ word, tags }) =>
    Array.from(word, (x, t) => ({ x, y: tags[t]!, before: t === 0 ? '' : tags[t - 1]! })),
  );

  it('have their length, and are the same for the same seed only', () => {
    expect(drawn.every(({ word, tags }) => word.length === 5 && tags.length === 5)).toBe(true);
    const again = draw({ sequences: 4000, length: 5, seed: 7, emission: 0.8, transition: 0.6 });
    expect(again).toEqual(drawn);
    expect(draw({ sequences: 9, seed: 1 })).not.toEqual(draw({ sequences: 9, seed: 2 }));
    expect(draw({ sequences: 9, seed: 1 })).toEqual(draw({ sequences: 20, seed: 1 }).slice(0, 9));
  });

  it('have the emissions that the options say, two labels with one observation', () => {
    for (const [y, x] of ['1a', '2b', '3c', '4d', '5e', '6e'] as Iterable<string>) {
      expect(
        share(
          tokens,
          token => token.y === y,
          token => token.x === x,
        ),
      ).toBeCloseTo(0.8, 1);
      const other = x === 'a' ? 'b' : 'a';
      expect(
        share(
          tokens,
          token => token.y === y,
          token => token.x === other,
        ),
      ).toBeLessThan(0.08);
    }
  });

  it('have uniform transitions but for two', () => {
    for (const before of '123456') {
      for (const y of '123456') {
        const usual = before === '1' ? '5' : before === '2' ? '6' : undefined;
        const rest = usual === undefined ? 1 / 6 : 0.08;
        const found = share(
          tokens,
          token => token.before === before,
          token => token.y === y,
        );
        expect(Math.abs(found - (y === usual ? 0.6 : rest))).toBeLessThan(0.035);
      }
    }
    expect(
      share(
        tokens,
        token => token.before === '',
        ({ y }) => y === '1',
      ),
    ).toBeCloseTo(1 / 6, 1);
  });
});
