import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { ScoreDetails } from '../../../../src/engine/metrics/scores/score-details.js';
import { spansOf } from '../../../../src/engine/text/tags/spans.js';

interface Scored {
  readonly gold: readonly string[];
  readonly predicted: readonly string[];
  readonly words: readonly string[];
}

const tagNames = ['O', 'B-X', 'I-X', 'B-Y'];

function stream(seed: number, count: number): Scored[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const numbers = Array.from({ length: 1 + random.below(9) }, () => random.below(40));
    const tagOf = (number: number) => tagNames[(number + (random.below(5) === 0 ? 1 : 0)) % 4]!;
    return {
      gold: numbers.map(tagOf),
      predicted: numbers.map(tagOf),
      words: numbers.map(number => `w${number}`),
    };
  });
}

function detailsOf(scored: readonly Scored[], halfLife: number): ScoreDetails {
  const details = new ScoreDetails(halfLife);
  for (const { gold, predicted, words } of scored) details.add(gold, predicted, words);
  return details;
}

/** A sum over sentences, each of which counts half after `halfLife` further ones. */
function weighted(
  scored: readonly Scored[],
  halfLife: number,
  of: (each: Scored, i: number) => number,
  power = 1,
) {
  return scored.reduce((sum, each, i) => {
    const weight = 2 ** ((i + 1 - scored.length) / halfLife);
    return sum + weight ** power * of(each, i);
  }, 0);
}

const right = ({ gold, predicted }: Scored) => gold.filter((tag, t) => tag === predicted[t]).length;
const keysOf = (tags: readonly string[]) =>
  spansOf(tags).map(({ start, end, label }) => `${start} ${end} ${label}`);
const common = ({ gold, predicted }: Scored, type = '') => {
  const found = new Set(keysOf(predicted));
  return keysOf(gold).filter(key => found.has(key) && key.endsWith(type)).length;
};

describe('ScoreDetails', () => {
  // The short half-life makes the weights begin anew several times.
  it.each([3, 50])('are sums with weights, by their definition: half-life %i', halfLife => {
    const scored = stream(2, 400);
    const scores = detailsOf(scored, halfLife).scores(true);
    const sum = (of: (each: Scored, i: number) => number, power = 1) =>
      weighted(scored, halfLife, of, power);
    const interval = (a: (each: Scored) => number, b: (each: Scored) => number) => {
      const mean = sum(a) / sum(b);
      const spread = Math.sqrt(sum(each => (a(each) - mean * b(each)) ** 2, 2)) / sum(b);
      return [100 * (mean - 1.96 * spread), 100 * (mean + 1.96 * spread)];
    };
    const clipped = (ends: readonly number[]) => ends.map(end => Math.min(100, Math.max(0, end)));
    const close = (found: readonly number[], expected: readonly number[]) => {
      expect(found.length).toBe(expected.length);
      for (const [i, end] of expected.entries()) expect(found[i]).toBeCloseTo(end, 8);
    };
    const length = ({ gold }: Scored) => gold.length;
    close(scores.accuracy as readonly number[], clipped(interval(right, length)));
    const spans = ({ gold, predicted }: Scored) => spansOf(gold).length + spansOf(predicted).length;
    close(scores.f1 as readonly number[], clipped(interval(each => 2 * common(each), spans)));

    for (const { label, correct, gold, predicted } of scores.labels) {
      const ofType = (tags: readonly string[]) =>
        spansOf(tags).filter(span => span.label === label);
      expect(correct).toBeCloseTo(
        sum(each => common(each, ` ${label}`)),
        8,
      );
      expect(gold).toBeCloseTo(
        sum(each => ofType(each.gold).length),
        8,
      );
      expect(predicted).toBeCloseTo(
        sum(each => ofType(each.predicted).length),
        8,
      );
    }
    expect(scores.labels.map(({ label }) => label).sort()).toEqual(['X', 'Y']);

    // Unseen words and baselines, token by token.
    const seen = new Set<string>();
    const counts = new Map<string, number>();
    const votes = new Map<string, [tag: string, votes: number]>();
    let last: string | undefined;
    let majority: string | undefined;
    const found = scored.map(({ gold, predicted, words }, i) => {
      const own = { unseen: 0, unseenRight: 0, majority: 0, last: 0, word: 0 };
      for (const [t, tag] of gold.entries()) {
        const word = words[t]!;
        if (!seen.has(word)) {
          own.unseen += 1;
          if (tag === predicted[t]) own.unseenRight += 1;
        }
        seen.add(word);
        const vote = votes.get(word);
        if ((vote?.[0] ?? majority) === tag) own.word += 1;
        if (vote === undefined || vote[1] === 0) votes.set(word, [tag, 1]);
        else if (vote[0] !== tag) vote[1] -= 1;
        else vote[1] = Math.min(15, vote[1] + 1);
        if (majority === tag) own.majority += 1;
        if (last === tag) own.last += 1;
        last = tag;
        // A count of now outweighs one of before by as much as weights grow.
        counts.set(tag, (counts.get(tag) ?? 0) + 2 ** ((i + 1) / halfLife));
        if (majority === undefined || counts.get(tag)! > counts.get(majority)!) majority = tag;
      }
      return own;
    });
    const tokens = sum(length);
    const share = (name: keyof (typeof found)[number]) => sum((_, i) => found[i]![name]);
    const { unseen, baselines } = scores;
    expect(unseen.tokens).toBeCloseTo(share('unseen'), 8);
    expect(unseen.accuracy).toBeCloseTo((100 * share('unseenRight')) / share('unseen'), 6);
    expect(baselines.last).toBeCloseTo((100 * share('last')) / tokens, 8);
    expect(baselines.majority).toBeCloseTo((100 * share('majority')) / tokens, 8);
    expect(baselines.word).toBeCloseTo((100 * share('word')) / tokens, 8);
  });

  it('has the accuracy in its interval in about 95 of 100 streams', () => {
    const random = new Random(4);
    let [inside, wide] = [0, 0];
    for (let run = 0; run < 400; run += 1) {
      const details = new ScoreDetails(100);
      for (let i = 0; i < 400; i += 1) {
        const length = 1 + random.below(20);
        // Errors of a sentence hang together: 0.8 on average.
        const p = random.uniform() < 0.5 ? 0.7 : 0.9;
        const gold = Array.from({ length }, () => 'A');
        details.add(
          gold,
          gold.map(() => (random.uniform() < p ? 'A' : 'B')),
        );
      }
      const [low, high] = details.scores(false).accuracy;
      if (low! <= 80 && high! >= 80) inside += 1;
      wide += high! - low!;
    }
    expect(inside / 400).toBeGreaterThan(0.91);
    expect(inside / 400).toBeLessThan(0.98);
    // Intervals of independent tokens would be narrower.
    expect(wide / 400).toBeGreaterThan(3);
  });

  it('counts what is known of a sentence', () => {
    const details = new ScoreDetails(1000);
    details.add(['A', null, ['B'], ['A', 'B']], ['A', 'A', 'A', 'A'], ['a', 'b', 'c', 'd']);
    const { unseen, labels } = details.scores(false);
    expect(unseen).toEqual({ tokens: 2, accuracy: 50 });
    expect(labels.map(({ label, gold, predicted }) => [label, gold, predicted])).toEqual([
      ['A', 1, 2],
      ['B', 1, 0],
    ]);
    expect(new ScoreDetails(5).scores(true)).toMatchObject({ accuracy: [null, null], labels: [] });
  });

  it('resumes from what was saved', () => {
    const [before, after] = [stream(5, 60), stream(6, 60)];
    const whole = detailsOf([...before, ...after], 7);
    const resumed = new ScoreDetails(7);
    const { json, arrays } = structuredClone(detailsOf(before, 7).save());
    resumed.restore({ json: JSON.parse(JSON.stringify(json)), arrays });
    for (const { gold, predicted, words } of after) resumed.add(gold, predicted, words);
    expect(resumed.save()).toEqual(whole.save());
    expect(resumed.scores(true)).toEqual(whole.scores(true));
    const slower = new ScoreDetails(8);
    slower.restore({ json, arrays });
    expect(slower.scores(true)).toEqual(detailsOf(before, 7).scores(true));
    expect(() => new ScoreDetails(7).restore({ json: { ...json, tags: [] }, arrays })).toThrow(
      'by label are incomplete',
    );
    expect(() => new ScoreDetails(0)).toThrow('at least 1');
  });
});
