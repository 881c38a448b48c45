import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import { QuestionBudget } from '../../../../src/engine/models/learning/question-budget.js';

interface TaggedRecord {
  readonly gold: string[];
  readonly given: string[];
  readonly confidences: number[];
}

/** Tagged records of spans; some are far harder than others, so that errors come together. */
function* stream(random: Random, records: number): Generator<TaggedRecord> {
  for (let i = 0; i < records; i += 1) {
    const hardness = random.uniform() ** 3;
    const gold: string[] = [];
    const given: string[] = [];
    const confidences: number[] = [];
    const length = 3 + random.below(15);
    for (let t = 0; t < length; t += 1) {
      const before = gold[t - 1] ?? 'O';
      const kind = random.uniform();
      if (kind < 0.6) gold.push('O');
      else if (kind < 0.8 || before === 'O') gold.push('B-X');
      else gold.push('I-X');
      const doubt = Math.min(0.95, hardness * random.uniform());
      confidences.push(1 - doubt);
      // The model knows how sure it is.
      const isWrong = random.uniform() < doubt;
      given.push(isWrong ? (gold[t] === 'O' ? 'B-X' : 'O') : gold[t]!);
    }
    yield { gold, given, confidences };
  }
}

/** Whether a span of these tags, all of one type, begins at a token, and whether one ends there. */
const begins = (tags: readonly string[], t: number) =>
  tags[t] === 'B-X' || (tags[t] === 'I-X' && (tags[t - 1] ?? 'O') === 'O');
const ends = (tags: readonly string[], t: number) => tags[t] !== 'O' && tags[t + 1] !== 'I-X';

/** Right and all, of tokens and of spans, counted token by token. */
class Truth {
  readonly tokens = [0, 0];
  readonly spans = [0, 0];

  add({ gold, given }: TaggedRecord, only?: readonly number[]): void {
    for (const t of only ?? gold.keys()) {
      this.tokens[0]! += gold[t] === given[t] ? 1 : 0;
      this.tokens[1]! += 1;
    }
    let begunTogether = false;
    for (let t = 0; t < gold.length; t += 1) {
      const [begun, begunHere] = [begins(gold, t), begins(given, t)];
      if (begun || begunHere) begunTogether = begun && begunHere;
      this.spans[1]! += Number(begun) + Number(begunHere);
      const [ended, endedHere] = [ends(gold, t), ends(given, t)];
      if (begunTogether && ended && endedHere) this.spans[0]! += 2;
      if (ended || endedHere) begunTogether = false;
    }
  }

  get accuracy(): number {
    return (100 * this.tokens[0]!) / this.tokens[1]!;
  }

  get f1(): number {
    return (100 * this.spans[0]!) / this.spans[1]!;
  }
}

/** Answers about a record; labels of records that were not drawn say nothing, and an answer may come in parts. */
function answer(budget: QuestionBudget, id: string, { gold, given }: TaggedRecord): void {
  const half = gold.map((tag, t) => (t % 2 === 0 ? tag : null));
  budget.answer(id, 0, half, given);
  const rest = gold.map((tag, t) => (half[t] === null ? tag : null));
  budget.answer(id, 0, rest, given);
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const errorOfMean = (values: readonly number[]) =>
  Math.sqrt(mean(values.map(v => (v - mean(values)) ** 2)) / (values.length - 1));

describe('the estimate from records drawn at random', () => {
  it.each([
    [900, 0.1, 'few'],
    [1500, 0.2, 'many'],
  ])(
    'has the scores of all %d records in its interval 95 times in 100, with a share of %d',
    { tags: 'slow' },
    (records, random) => {
      const inside = { accuracy: 0, f1: 0 };
      const off: { accuracy: number[]; f1: number[]; doubtful: number[] } = {
        ...{ accuracy: [], f1: [], doubtful: [] },
      };
      const seeds = 400;
      for (let seed = 1; seed <= seeds; seed += 1) {
        const budget = new QuestionBudget({ share: 0.3, random, seed });
        const truth = new Truth();
        const doubtful = new Truth();
        let i = 0;
        for (const record of stream(new Random(1000 + seed), records)) {
          i += 1;
          truth.add(record);
          const { tokens, drawn, waits } = budget.choose(record.given, record.confidences, `${i}`);
          if (!drawn) doubtful.add(record, tokens);
          if (waits) budget.hold([`${i}`, record], tokens.length);
          else answer(budget, `${i}`, record);
          const due = budget.due() as [string, TaggedRecord] | undefined;
          if (due !== undefined) answer(budget, ...due);
        }
        const { all } = budget.estimates(true)!;
        expect(all.records).toBe(budget.counts.answered);
        expect(all.tokens).toBe(budget.counts.drawn);
        for (const name of ['accuracy', 'f1'] as const) {
          const { score, low, high } = all[name]!;
          if (low! <= truth[name] && truth[name] <= high!) inside[name] += 1;
          off[name].push(score! - truth[name]);
        }
        off.doubtful.push(doubtful.accuracy - truth.accuracy);
      }
      // Of 400 intervals 380, standard deviation 4.4.
      for (const name of ['accuracy', 'f1'] as const) {
        expect([
          name,
          inside[name] / seeds > 0.92,
          inside[name] / seeds < 0.98,
          inside[name],
        ]).toEqual([name, true, true, inside[name]]);
        expect(Math.abs(mean(off[name]))).toBeLessThan(3.5 * errorOfMean(off[name]));
        expect(Math.abs(mean(off[name]))).toBeLessThan(0.3);
      }
      expect(mean(off.doubtful)).toBeLessThan(-10);
    },
  );
});
