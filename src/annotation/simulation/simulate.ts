import { Random } from '../../core/random.js';
import type { Document } from '../../core/sentence/document.js';
import { knownTags } from '../../core/sentence/known-tags.js';
import type { Sentence } from '../../core/sentence/sentence.js';
import { SpanScores } from '../../metrics/scores/span-scores.js';
import { TokenAccuracy } from '../../metrics/scores/token-accuracy.js';
import type { Tagger } from '../../models/tagger.js';
import { train } from '../../pipeline/training/train.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { tokenConfidences } from '../learning/uncertainty.js';
import { askedTokens } from '../strategies/asked-tokens.js';
import { QueryPool } from '../strategies/query-pool.js';
import type { Strategy } from '../strategies/strategy.js';
import type { SimulationOptions, SimulationPoint, SimulationRun } from './simulation-options.js';
import { wrongStretches } from './wrong-stretches.js';

/** Tokens of the random sentences that each run begins with: the same for all strategies. */
const firstTokens = 300;

/** What is asked between two models: a share of what was looked at. */
const growth = 0.2;

/** Sentences that compete. */
const poolSize = 800;

/** Passes of each training. */
const epochs = 12;

/**
 * Replays labelled sentences as the person: each strategy asks for some, a model is trained from scratch on all answers so
 * far and scored, and so on. All runs with a seed begin with the same random sentences. A token counts as looked at when
 * its label is asked; the same options give the same points.
 */
export async function simulate(options: SimulationOptions): Promise<SimulationRun[]> {
  const runs: SimulationRun[] = [];
  for (const strategy of options.strategies) {
    for (let seed = 1; seed <= options.seeds; seed += 1) {
      const points: SimulationPoint[] = [];
      const run = new SimulatedRun(options, strategy, seed);
      for await (const point of run.points()) {
        points.push(point);
        options.onPoint?.({ ...point, seed });
      }
      runs.push({ strategy: strategy.name, seed, points });
    }
  }
  return runs;
}

class SimulatedRun {
  readonly #options: SimulationOptions;
  readonly #strategy: Strategy;
  readonly #seed: number;
  readonly #answers = new Map<number, Document>();
  readonly #pool: QueryPool;
  #looked = 0;
  #corrections = 0;

  constructor(options: SimulationOptions, strategy: Strategy, seed: number) {
    this.#options = options;
    this.#strategy = strategy;
    this.#seed = seed;
    this.#pool = new QueryPool({
      size: options.gold.length,
      most: poolSize,
      isOpen: (record: number) => !this.#answers.has(record),
      read: (record: number) => [options.gold[record]!],
      ...{ strategy, seed: seed + 1000 },
    });
  }

  async *points(): AsyncGenerator<SimulationPoint> {
    const { tokens, gold, signal } = this.#options;
    for (const record of new Random(this.#seed).shuffle(Uint32Array.from(gold.keys()))) {
      if (this.#looked >= Math.min(tokens, firstTokens)) break;
      this.#answer(record, undefined);
    }
    for (;;) {
      signal?.throwIfAborted();
      const { tagger } = await this.#train();
      yield {
        strategy: this.#strategy.name,
        looked: this.#looked,
        corrections: this.#corrections,
        score: this.#score(tagger),
      };
      if (this.#looked >= tokens || this.#answers.size === gold.length) return;
      this.#ask(tagger, Math.min(tokens, this.#looked * (1 + growth)));
    }
  }

  #train() {
    return train({
      corpus: this.#answers.values(),
      features: { preset: this.#options.preset },
      trainer: { sgd: { eta0: 0.2, l2: 0.5 } },
      epochs,
      seed: this.#seed,
      compact: false,
    });
  }

  #ask(tagger: Tagger, until: number): void {
    this.#pool.refresh(tagger.model, poolSize);
    while (this.#looked < until) {
      const record = this.#pool.next(tagger.model);
      if (record === undefined) return;
      this.#pool.note(record);
      this.#answer(record, tagger);
    }
  }

  #answer(record: number, tagger: Tagger | undefined): void {
    const sentence = this.#options.gold[record]!;
    const { tokens } = sentence;
    const tags = sentence.tags!;
    const confidences =
      tagger !== undefined && this.#strategy.asksTokens === true
        ? tokenConfidences(tagger.model, sentence)
        : undefined;
    const asked = confidences === undefined ? [...tokens.keys()] : askedTokens(confidences);
    const known = new Set(asked);
    this.#answers.set(record, {
      tokens,
      columns: sentence.columns,
      ...knownTags(tags.map((tag, t) => (known.has(t) ? tag : null))),
    });
    this.#looked += asked.length;
    const proposed = tagger?.tag(tokens, sentence.columns) ?? tokens.map(() => 'O');
    this.#corrections += wrongStretches(tags, proposed, asked);
  }

  #score(tagger: Tagger): number {
    const spans = new SpanScores();
    const accuracy = new TokenAccuracy();
    for (const { tokens, columns, tags } of this.#options.test as readonly Sentence[]) {
      const found = tagger.tag(tokens, columns);
      spans.add(tags!, found);
      accuracy.add(tags!, found);
    }
    return isSpanScheme(tagger.model.scheme) ? spans.total.f1 : accuracy.percent;
  }
}
