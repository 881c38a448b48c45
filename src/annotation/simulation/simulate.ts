import { setImmediate } from 'node:timers/promises';
import { Random } from '../../core/random.js';
import type { PartialTag } from '../../core/sentence/partial-tag.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { tokenConfidences } from '../learning/uncertainty.js';
import { askedTokens } from '../strategies/asked-tokens.js';
import { QueryPool } from '../strategies/query-pool.js';
import type { Strategy } from '../strategies/strategy.js';
import { SimulatedModel } from './simulated-model.js';
import type { SimulationOptions, SimulationPoint, SimulationRun } from './simulation-options.js';
import { wrongStretches } from './wrong-stretches.js';

/** Tokens of the random sentences that each run begins with: the same for all strategies. */
const firstTokens = 300;

/** What is asked between two models: a share of what was looked at. */
const growth = 0.2;

/** Sentences that compete, at most. */
const poolSize = 20_000;

/**
 * Replays labelled sentences as the person: each strategy asks for some, a model is trained from scratch on all answers so
 * far and scored, and so on. All runs with a seed begin with the same random sentences. A token counts as looked at when
 * its label is asked; the same options give the same points.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationRun[]> {
  const runs: SimulationRun[] = [];
  const model = new SimulatedModel(options.gold, options.preset);
  let target = Number.POSITIVE_INFINITY;
  for (const strategy of options.strategies) {
    for (let seed = 1; seed <= options.seeds; seed += 1) {
      const points: SimulationPoint[] = [];
      const run = new SimulatedRun(options, model, strategy, seed);
      for (const point of run.points()) {
        points.push(point);
        options.onPoint?.({ ...point, seed });
        // So that signals are heard.
        await setImmediate();
        if (hasPassed(points, target)) break;
      }
      runs.push({ strategy: strategy.name, seed, points });
    }
    if (options.reach === true && strategy === options.strategies[0]) target = meanOfLast(runs);
  }
  return runs;
}

/** Whether a run has had a score, and a quarter more tokens since. */
function hasPassed(points: readonly SimulationPoint[], target: number): boolean {
  const first = points.find(({ score }) => score >= target);
  const { looked, score } = points.at(-1)!;
  return first !== undefined && score >= target && looked >= 1.25 * first.looked;
}

function meanOfLast(runs: readonly SimulationRun[]): number {
  return runs.reduce((sum, { points }) => sum + points.at(-1)!.score, 0) / runs.length;
}

class SimulatedRun {
  readonly #options: SimulationOptions;
  readonly #model: SimulatedModel;
  readonly #strategy: Strategy;
  readonly #seed: number;
  readonly #answers = new Map<number, readonly [Sentence, readonly PartialTag[]]>();
  readonly #pool: QueryPool;
  #looked = 0;
  #corrections = 0;

  constructor(options: SimulationOptions, model: SimulatedModel, strategy: Strategy, seed: number) {
    this.#options = options;
    this.#model = model;
    this.#strategy = strategy;
    this.#seed = seed;
    this.#pool = new QueryPool({
      size: options.gold.length,
      most: poolSize,
      isOpen: (record: number) => !this.#answers.has(record),
      read: (record: number) => [options.gold[record]!],
      features: model.features,
      ...{ strategy, seed: seed + 1000 },
    });
  }

  *points(): Generator<SimulationPoint> {
    const { tokens, gold, test, signal } = this.#options;
    for (const record of new Random(this.#seed).shuffle(Uint32Array.from(gold.keys()))) {
      if (this.#looked >= Math.min(tokens, firstTokens)) break;
      const sentence = gold[record]!;
      this.#answer(
        record,
        sentence.tokens.map(() => 'O'),
        [...sentence.tokens.keys()],
      );
    }
    for (;;) {
      signal?.throwIfAborted();
      this.#model.train(this.#answers.values(), this.#seed);
      yield {
        strategy: this.#strategy.name,
        looked: this.#looked,
        corrections: this.#corrections,
        score: this.#model.score(test),
      };
      if (this.#looked >= tokens || this.#answers.size === gold.length) return;
      this.#ask(Math.min(tokens, this.#looked * (1 + growth)));
    }
  }

  #ask(until: number): void {
    const { model } = this.#model;
    this.#pool.refresh(model, poolSize);
    while (this.#looked < until) {
      const record = this.#pool.next(model);
      if (record === undefined) return;
      const sentence = this.#options.gold[record]!;
      const [proposed] = this.#model.tags([sentence]);
      const asked =
        this.#strategy.asksTokens === true
          ? askedTokens(tokenConfidences(model, sentence))
          : [...sentence.tokens.keys()];
      this.#answer(record, proposed!, asked);
    }
  }

  #answer(record: number, proposed: readonly string[], asked: readonly number[]): void {
    const sentence = this.#options.gold[record]!;
    const tags = sentence.tags!;
    const known = new Set(asked);
    const isWhole = known.size === tags.length;
    const given = isWhole ? tags : tags.map((tag, t) => (known.has(t) ? tag : null));
    this.#answers.set(record, [sentence, given]);
    this.#pool.note(record);
    this.#looked += asked.length;
    this.#corrections += wrongStretches(tags, proposed, asked);
  }
}
