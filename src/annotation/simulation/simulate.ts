import { setImmediate } from 'node:timers/promises';
import { TagstreamError } from '../../engine/core/errors.js';
import { packMinibatch } from '../../engine/core/minibatch/pack-minibatch.js';
import { Random } from '../../engine/core/random.js';
import { knownTags, type PartialTag } from '../../engine/core/sentence/partial-tag.js';
import type { Sentence } from '../../engine/core/sentence/sentence.js';
import { presetTemplates } from '../../engine/features/presets/preset-templates.js';
import { logLoss } from '../../engine/losses/log-loss.js';
import { SpanScores } from '../../engine/metrics/scores/span-scores.js';
import { TokenAccuracy } from '../../engine/metrics/scores/token-accuracy.js';
import { createModel } from '../../engine/models/create-model.js';
import { Decoder } from '../../engine/models/decoding/decoder.js';
import { createOnlineLearner } from '../../engine/models/learning/learner.js';
import type { Model } from '../../engine/models/model.js';
import { adagrad } from '../../engine/optimizers/adagrad.js';
import { isSpanScheme } from '../../engine/text/tags/tag-scheme.js';
import { columnsOf } from '../learning/columns-of.js';
import { encodedBy, tokenConfidences } from '../learning/uncertainty.js';
import type { FeatureSource } from '../strategies/feature-weights.js';
import { QueryPool } from '../strategies/query-pool.js';
import { askedTokens, type Strategy } from '../strategies/strategy.js';

/** Training passes: at these sizes more of them hardly change the scores. */
const epochs = 15;

/** Number of sentences decoded at a time. */
const atATime = 64;

/**
 * A model repeatedly trained from scratch on different sentences of the same file, with the
 * features of a preset, AdaGrad and the log loss.
 *
 * All sentences are encoded once: a feature that does not occur in any answer yet has no weight and
 * no effect.
 */
class SimulatedModel {
  readonly model: Model;
  readonly #decoder: Decoder;
  /** Features of tokens: their rows, as all features are known. */
  readonly features: FeatureSource;

  constructor(gold: readonly Sentence[], preset: string) {
    const columns = columnsOf(gold);
    this.model = createModel({ templates: presetTemplates(preset, columns), columns });
    for (const sentence of gold) this.model.encode(sentence);
    this.model.frozen = true;
    this.model.parameters.layOutFor(this.model.labels.columns);
    this.model.reserve();
    this.features = {
      count: this.model.parameters.stateRows,
      of: ([sentence]) => {
        const { stateStarts: starts, stateRows: numbers } = encodedBy(this.model, sentence!);
        return { starts, numbers };
      },
    };
    this.#decoder = new Decoder(this.model.kernel, this.model);
  }

  /** Trains on the known tags of sentences, null where unknown. */
  train(
    answers: Iterable<readonly [sentence: Sentence, tags: readonly PartialTag[]]>,
    seed: number,
  ) {
    const { model } = this;
    const corpus = Array.from(answers, ([sentence, tags]) => this.#encoded(sentence, tags));
    model.parameters.restart();
    const options = { eta0: 0.2, l2: 0.5 };
    const parts = { loss: logLoss, optimizer: adagrad, options, corpusSize: corpus.length };
    const learner = createOnlineLearner(model, parts);
    for (let pass = 1; pass <= epochs; pass += 1) {
      const order = new Random(seed * 1000003 + pass).shuffle(Uint32Array.from(corpus.keys()));
      for (const i of order) learner.apply(learner.contribute(packMinibatch([corpus[i]!])));
    }
    learner.finish();
  }

  /** Yields the best tags of sentences. */
  *tags(sentences: readonly Sentence[]): Generator<readonly string[]> {
    const { names } = this.model.labels;
    for (let from = 0; from < sentences.length; from += atATime) {
      const part = sentences.slice(from, from + atATime);
      const minibatch = packMinibatch(part.map(sentence => encodedBy(this.model, sentence)));
      const { labels } = this.#decoder.decode(this.model.parameters, minibatch);
      for (const [s, { tokens }] of part.entries()) {
        const start = minibatch.sentenceStarts[s]!;
        yield Array.from(labels.subarray(start, start + tokens.length), y => names[y]!);
      }
    }
  }

  /**
   * Returns the span F1, or the accuracy, in percent.
   *
   * @throws TagstreamError `empty-sentence` if there is nothing to score
   */
  score(test: readonly Sentence[]): number {
    const spans = new SpanScores();
    const accuracy = new TokenAccuracy();
    let i = 0;
    for (const found of this.tags(test)) {
      const gold = test[i]!.tags!;
      spans.add(gold, found);
      accuracy.add(gold, found);
      i += 1;
    }
    const score = isSpanScheme(this.model.scheme) ? spans.total.f1 : accuracy.percent;
    if (score !== null) return score;
    throw new TagstreamError('empty-sentence', 'the held-out records mark no span to score', {
      fix: 'hold out more records',
    });
  }

  #encoded(sentence: Sentence, tags: readonly PartialTag[]) {
    if (tags === sentence.tags) return encodedBy(this.model, sentence);
    const { tags: _, partialTags: __, ...rest } = sentence;
    return this.model.encodeKnown({ ...rest, ...knownTags(tags) });
  }
}

/**
 * Number of tokens in the random sentences with which each run begins, the same for all strategies.
 */
const firstTokens = 300;

/** Number of tokens asked between two models, as a share of the tokens examined so far. */
const growth = 0.2;

/** Maximum number of competing sentences. */
const poolSize = 20_000;

/**
 * Simulates an annotator with labelled sentences: repeatedly, each strategy asks for some, and a
 * model is trained from scratch on all answers so far and scored. All runs with the same seed begin
 * with the same random sentences. A token counts as examined when its label is asked; the same
 * options give the same points.
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
        // Lets signals be handled.
        await setImmediate();
        if (hasPassed(points, target)) break;
      }
      runs.push({ strategy: strategy.name, seed, points });
    }
    if (options.reach === true && strategy === options.strategies[0]) target = meanOfLast(runs);
  }
  return runs;
}

/** Returns whether a run has reached a score, and examined a quarter more tokens since. */
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

/**
 * Returns the number of corrections that a proposal needs: one per stretch of consecutive wrong
 * tokens.
 *
 * @param asked examined tokens
 * @example
 * wrongStretches(['A', 'B', 'B', 'O'], ['A', 'O', 'O', 'B'], [0, 1, 2, 3]) // => 1
 * wrongStretches(['A', 'B', 'A'], ['O', 'B', 'O'], [0, 1, 2]) // => 2
 */
export function wrongStretches(
  gold: readonly string[],
  proposed: readonly string[],
  asked: readonly number[],
): number {
  let stretches = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (const t of asked) {
    if (gold[t] === proposed[t]) continue;
    if (t > last + 1) stretches += 1;
    last = t;
  }
  return stretches;
}

/** Input of a simulation. */
interface SimulationOptions {
  /** Labelled sentences, which simulate the annotator. */
  readonly gold: readonly Sentence[];
  /** Labelled sentences on which each model is scored. */
  readonly test: readonly Sentence[];
  readonly strategies: readonly Strategy[];
  /** Number of runs per strategy, with the seeds 1, 2, ... */
  readonly seeds: number;
  /** Maximum number of examined tokens. */
  readonly tokens: number;
  readonly preset: string;
  /**
   * Whether runs end some time after they have reached the final mean score of the first strategy.
   * Default false.
   */
  readonly reach?: boolean | undefined;
  /** Receives each model's score. */
  readonly onPoint?: ((point: SimulationPoint & { readonly seed: number }) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An intermediate model. */
export interface SimulationPoint {
  readonly strategy: string;
  /** Number of tokens whose labels were asked. */
  readonly looked: number;
  /** Number of stretches of wrongly proposed tokens, which had to be corrected. */
  readonly corrections: number;
  /** Span F1, or accuracy, in percent. */
  readonly score: number;
}

/** A run of a strategy, from its first model to its last. */
export interface SimulationRun {
  readonly strategy: string;
  readonly seed: number;
  readonly points: readonly SimulationPoint[];
}
