import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/engine/core/random.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { inspectModel } from '../../../../src/engine/models/inspection/inspect-model.js';
import { readInspected } from '../../../../src/engine/models/inspection/read-inspected.js';
import { pool } from '../../../../src/runtime/pipeline/pool/pool.js';
import { train } from '../../../../src/runtime/pipeline/training/train.js';
import { syntheticCorpus } from '../../../engine/models/examples/synthetic-corpus.js';

const records: Document[] = syntheticCorpus(new Random(3), 160, { faithful: 0.8 }).map(
  ({ tokens, tags }) => ({ tokens, tags: tags! }),
);
const corpus = records.slice(0, 100);
const heldOut = records.slice(100);
const trainer = { sgd: { eta0: 0.2, l2: 0.1 } };

async function expertOf(...templates: string[]): Promise<Uint8Array> {
  return (await train({ corpus, features: { templates }, trainer, epochs: 5 })).bytes;
}

const words = await expertOf('U0:%x[0,0]', 'B');
const around = await expertOf('U1:%x[-1,0]', 'U2:%x[1,0]', 'B');
const experts = [words, around];

describe('pool', () => {
  it('has less loss on the held-out records than any expert, at the minimum', async () => {
    const { weights, heldOut: losses, iteration, tagger } = await pool({ experts, heldOut });
    expect(iteration!.ending).toBeDefined();
    expect(losses!.sentences).toBe(60);
    expect(losses!.omitted).toBe(0);
    expect(losses!.loss).toBeLessThan(Math.min(...losses!.experts));
    for (const k of [0, 1]) {
      for (const step of [-0.02, 0.02]) {
        const moved = weights.map((w, i) => (i === k ? w + step : w));
        const other = await pool({ experts, heldOut, weights: moved });
        expect(other.weights).toEqual(moved);
        expect(other.heldOut!.loss).toBeGreaterThan(losses!.loss);
      }
    }
    expect(tagger.tag(corpus[0]!.tokens!)).toHaveLength(corpus[0]!.tokens!.length);
  });

  it('gives the same bytes again, and those of given weights', async () => {
    const first = await pool({ experts, heldOut });
    const again = await pool({ experts, heldOut });
    expect(again.bytes).toEqual(first.bytes);
    const given = await pool({ experts, weights: first.weights });
    expect(given.bytes).toEqual(first.bytes);
    expect(given.heldOut).toBeUndefined();
  });

  it('of one expert with the weight 1 is that expert', async () => {
    const { tagger } = await pool({ experts, weights: [1, 0] });
    const { tagger: alone } = await train({
      corpus,
      features: { templates: ['U0:%x[0,0]', 'B'] },
      trainer,
      epochs: 5,
    });
    for (const { tokens } of heldOut) {
      const [a, b] = [tagger, alone].map(each => each.analyze(tokens!, {}, { probability: true }));
      expect(a!.tags).toEqual(b!.tags);
      expect(Math.abs(a!.probability! - b!.probability!)).toBeLessThan(1e-5);
    }
  });

  it('takes experts with compressed weights like those with plain ones', async () => {
    const templates = ['U0:%x[0,0]', 'B'];
    const expertWith = async (compressed: boolean) => {
      const features = { templates, support: 'observed' as const, compressed };
      return (await train({ corpus, features, trainer, epochs: 2 })).bytes;
    };
    const [plain, compressed] = [await expertWith(false), await expertWith(true)];
    expect(compressed).not.toEqual(plain);
    const [one, other] = [
      await pool({ experts: [plain, around], heldOut }),
      await pool({ experts: [compressed, around], heldOut }),
    ];
    expect(other.bytes).toEqual(one.bytes);
    expect(other.weights).toEqual(one.weights);
  });

  it('shares the weight among equal experts', async () => {
    const alone = await pool({ experts: [words, words], heldOut });
    expect(Math.abs(alone.weights[0]! - alone.weights[1]!)).toBeLessThan(1e-6);
    expect(alone.heldOut!.loss).toBeLessThanOrEqual(alone.heldOut!.experts[0]!);
  });

  it('keeps the names of features', async () => {
    const { bytes } = await pool({ experts, heldOut });
    const summary = inspectModel(readInspected(bytes));
    const names = summary.features.flatMap(({ features }) => features.map(({ name }) => name));
    expect(names.filter(name => name?.startsWith('U0:')).length).toBeGreaterThan(5);
    const { model, notes } = readInspected(bytes);
    const noted = [...notes.names.state.values()];
    expect(noted.filter(name => name.startsWith('U2:')).length).toBeGreaterThan(5);
    const own = readInspected(words);
    const place = ([row, name]: [number, string]) => [name, row] as const;
    const rows = new Map([...notes.names.state].map(place));
    const weight = (read: typeof own, row: number) =>
      read.model.parameters.weights.state.view[row * read.model.parameters.width]!;
    const ratios = [...own.notes.names.state].map(
      ([row, name]) => weight({ ...own, model }, rows.get(name)!) / weight(own, row),
    );
    expect(Math.max(...ratios) - Math.min(...ratios)).toBeLessThan(1e-5);
  });

  it('leaves out records with labels that no expert knows, and says how many', async () => {
    const strange: Document = { tokens: ['w1', 'w2'], tags: ['L0', 'L9'] };
    const { heldOut: losses } = await pool({ experts, heldOut: [...heldOut, strange] });
    expect(losses).toMatchObject({ sentences: 60, omitted: 1 });
  });

  it.each([
    ['one expert', { experts: [words], heldOut }, 'two models or more'],
    ['no weights', { experts }, 'or held-out data to learn them from'],
    ['too many weights', { experts, weights: [1, 1, 1] }, '2 models but the weights 1, 1, 1'],
    ['weights that are none', { experts, weights: [1, Number.NaN] }, 'a number for each model'],
    ['no labelled records', { experts, heldOut: [{ tokens: ['w1'] }] }, 'no labelled sentences'],
  ])('refuses %s', async (_, request, problem) => {
    await expect(pool(request)).rejects.toThrow(problem);
  });
});
