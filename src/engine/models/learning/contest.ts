import { TagstreamError } from '../../core/errors.js';
import { percent } from '../../core/figures.js';
import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { Standing } from '../../core/run-status.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { determinedTag, type PartialTag } from '../../core/sentence/partial-tag.js';
import { type Contribution, noLabel } from '../../core/training/contribution.js';
import {
  type State,
  type Stateful,
  stateArray,
  stateCount,
  wrongState,
} from '../../core/training/state.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { SequentialTest } from '../../metrics/sequential-test.js';
import type { ConfidenceOptions } from '../decoding/decode-options.js';
import type { Learner } from './learner.js';

/** Options of a `Contest`. */
export interface ContestOptions {
  /** Probability that a learner that is not better ever becomes champion, between 0 and 1. Default 0.05. */
  readonly alpha?: number | undefined;
  /** Called when the champion changes; the new one serves from the next sentence on. */
  readonly onSwitch?: ((change: ChampionChange) => void) | undefined;
}

/** A report of a change of the champion. */
export interface ChampionChange {
  readonly from: string;
  readonly to: string;
  /** Number of scored sentences up to the change, including the current one. */
  readonly sentences: number;
  /** Evidence of the test: at least `1 / alpha` of this switch. */
  readonly evidence: number;
  /** Current standings, including those of the new and the old champion. */
  readonly standings: readonly Standing[];
}

/** Half-life of `Standing.recent` in sentences. */
const halfLife = 1000;
const decay = 2 ** (-1 / halfLife);

/**
 * Maximum difference in wrong tokens between two learners in a sentence: larger differences are clipped, so that no
 * single sentence decides.
 */
const mostDifferent = 4;

/** Number of sums per learner: tokens, wrong tokens, and both decayed. */
const sums = 4;

interface Entrant {
  readonly name: string;
  readonly learner: Learner;
  /** Whether the learner learns from sentences encoded by the first learner. */
  readonly isTwin: boolean;
}

/** One learner's result for a minibatch. */
interface Round {
  readonly step: TrainingStep;
  /** Whether the learner could read all sentences, and predicted only labels that the first learner knows. */
  readonly isWhole: boolean;
}

/**
 * Several learners on one stream, each of which tags a minibatch before learning from it. One of them, the champion,
 * provides the tags; initially, it is the first. A `SequentialTest` compares the champion with each of the others,
 * sentence by sentence:
 *
 *     d_t = (wrong tokens of the champion - wrong tokens of the challenger) / 4, clipped to [-1, 1]
 *
 * When a test has decided, its challenger becomes the champion from the next sentence on, and all tests restart with
 * the former champion among the challengers, so that it can return if it becomes better again. Switch `m` of `K`
 * learners has the error probability `alpha / (m (m + 1) (K - 1))`. So for any stream, with probability `1 - alpha`,
 * no switch goes to a learner that was never better on average since the previous switch.
 *
 * Between switches, the tests bound the regret on every range of sentences without any assumption; see
 * `SequentialTest`. Tokens with unknown gold tags do not count.
 *
 * Learners of a model and of its twins (`Model.twin`) share one encoding. Other learners encode separately; if such a
 * learner cannot read a sentence, all its tokens count as wrong, and the first learner's tags are used; they are also
 * used where it predicts a label that the first learner has not met. Memory and time are those of the learners.
 *
 * @example
 * const model = createModel({ templates: 'U0:%x[0,0]\nB' });
 * const first = createLearner(model, { loss: logLoss(), optimizer: sgd(), corpusSize: 100 });
 * const other = createLearner(model.twin(), { loss: logLoss(), optimizer: adagrad(), corpusSize: 100 });
 * const contest = new Contest({ sgd: first, adagrad: other });
 * contest.champion // => 'sgd'
 */
export class Contest implements Stateful {
  readonly alpha: number;
  readonly #entrants: readonly Entrant[];
  readonly #onSwitch: ContestOptions['onSwitch'];
  readonly #sums: readonly Float64Array[];
  /** Number of wrong tokens of each learner in each of the current sentences. */
  readonly #errors: number[][];
  #champion = 0;
  #switches = 0;
  #sentences = 0;
  /** Tests of the champion against each learner; undefined for the champion itself. */
  #tests: (SequentialTest | undefined)[] = [];

  /**
   * @param learners learners by name, in order; not to be used elsewhere
   * @throws TagstreamError `config` for fewer than two learners, or an alpha that is not between 0
   *   and 1
   */
  constructor(learners: Readonly<Record<string, Learner>>, options: ContestOptions = {}) {
    requireKnown('Contest', options, ['alpha', 'onSwitch']);
    requireArgument('Contest: the learners', learners, kinds.learners);
    const given = Object.entries(learners);
    if (given.length < 2) {
      throw new TagstreamError(
        'config',
        `a contest needs at least two learners, got ${given.length}`,
        {
          fix: 'pass two or more, by name: { first, second }',
        },
      );
    }
    for (const [name, learner] of given) {
      requireArgument(`Contest: the learner ${name}`, learner, kinds.learner);
    }
    const { alpha = 0.05 } = options;
    this.alpha = alpha;
    this.#onSwitch = options.onSwitch;
    const [, first] = given[0]!;
    this.#entrants = given.map(([name, learner], i) => {
      const isTwin = i > 0 && learner.model.stateIndex === first.model.stateIndex;
      if (isTwin) learner.isTwin = true;
      return { name, learner, isTwin };
    });
    const twins = this.#entrants.filter(({ isTwin }) => isTwin);
    first.twins = twins.map(({ learner }) => learner);
    this.#sums = given.map(() => new Float64Array(sums));
    this.#errors = given.map(() => []);
    this.#test();
  }

  /** Name of the champion. */
  get champion(): string {
    return this.#entrants[this.#champion]!.name;
  }

  /** The champion. */
  get learner(): Learner {
    return this.#entrants[this.#champion]!.learner;
  }

  /** Number of the champion among the learners, from 0. */
  get championIndex(): number {
    return this.#champion;
  }

  /**
   * Number of wrong tokens of each learner, in order, in each sentence of the last minibatch, before the learner learned
   * from it. Only sentences with known gold tags count.
   */
  get lastErrors(): readonly (readonly number[])[] {
    return this.#errors;
  }

  /** Learners by name, in order. */
  get learners(): ReadonlyMap<string, Learner> {
    return new Map(this.#entrants.map(({ name, learner }) => [name, learner]));
  }

  /** Number of changes of the champion. */
  get switches(): number {
    return this.#switches;
  }

  /** Scores of the learners, in order. */
  get standings(): Standing[] {
    return this.#entrants.map(({ name }, i) => {
      const [tokens, wrong, recent, recentWrong] = this.#sums[i] as unknown as Four;
      return {
        ...{ name, isChampion: i === this.#champion },
        accuracy: percent(tokens - wrong, tokens),
        recent: percent(recent - recentWrong, recent),
      };
    });
  }

  /**
   * Makes all learners tag a minibatch of the first learner's model and learn from it.
   *
   * @param asked requested probabilities of the champion's labels
   * @returns the champion's step, with its labels as numbers of the first learner's model
   */
  learn(minibatch: Minibatch, asked?: ConfidenceOptions): TrainingStep {
    const answering = this.#champion;
    let served: Round | undefined;
    // The first learner comes last, because it evicts features from all twins, which must know them
    // until then.
    for (let i = this.#entrants.length - 1; i > 0; i -= 1) {
      const round = this.#learn(i, minibatch, i === answering ? asked : undefined);
      if (i === answering && round.isWhole) served = round;
    }
    const { step: first } = this.#learn(0, minibatch, served === undefined ? asked : undefined);
    this.#compare(minibatch.sentences);
    return served === undefined ? first : servedStep(first, served.step);
  }

  #learn(i: number, minibatch: Minibatch, asked: ConfidenceOptions | undefined): Round {
    const { learner, isTwin } = this.#entrants[i]!;
    const { model } = learner;
    if (isTwin) for (const encoded of minibatch.sentences) model.meet(encoded);
    const isOwn = i === 0 || isTwin;
    const encoded = isOwn ? minibatch.sentences : this.#encoded(learner, minibatch.sentences);
    const isWhole = encoded.every(sentence => sentence !== undefined);
    const read = isOwn
      ? minibatch
      : packMinibatch(encoded.filter(sentence => sentence !== undefined));
    const contribution = learner.contribute(read, true);
    if (asked !== undefined && model.labels.size > 0) {
      Object.assign(contribution, { confidence: learner.confidence(read, asked) });
    }
    this.#count(i, encoded, contribution);
    const step = learner.apply(contribution);
    const isKnown = isOwn || this.#useLabelsOfFirst(learner, contribution);
    return { step, isWhole: isWhole && isKnown };
  }

  /** Encodes sentences for another model; returns undefined if it cannot read one. */
  #encoded(
    { model }: Learner,
    sentences: readonly EncodedSentence[],
  ): (EncodedSentence | undefined)[] {
    return sentences.map(({ sentence }) => {
      try {
        return model.encode(sentence);
      } catch (thrown) {
        if (thrown instanceof TagstreamError) return undefined;
        throw thrown;
      }
    });
  }

  /** Counts the wrong tokens of each sentence. */
  #count(
    i: number,
    encoded: readonly (EncodedSentence | undefined)[],
    { minibatch, predicted }: Contribution,
  ): void {
    const names = this.#entrants[i]!.learner.model.labels.reported;
    const errors = this.#errors[i]!;
    errors.length = encoded.length;
    let read = 0;
    for (const [s, one] of encoded.entries()) {
      if (one === undefined) {
        errors[s] = Number.POSITIVE_INFINITY;
        continue;
      }
      errors[s] = countWrong(one.sentence, names, predicted!, minibatch.sentenceStarts[read]!);
      read += 1;
    }
  }

  /** Compares the learners sentence by sentence. */
  #compare(sentences: readonly EncodedSentence[]): void {
    for (const [s, { sentence }] of sentences.entries()) {
      const tokens = countKnown(sentence);
      if (tokens === 0) continue;
      this.#sentences += 1;
      for (const [i, errors] of this.#errors.entries()) {
        const wrong = Math.min(errors[s]!, tokens);
        errors[s] = wrong;
        const own = this.#sums[i]!;
        own[0]! += tokens;
        own[1]! += wrong;
        own[2] = own[2]! * decay + tokens;
        own[3] = own[3]! * decay + wrong;
      }
      this.#see(s);
    }
  }

  #see(s: number): void {
    const champion = this.#errors[this.#champion]![s]!;
    let best: number | undefined;
    for (const [i, test] of this.#tests.entries()) {
      if (test === undefined) continue;
      const difference = (champion - this.#errors[i]![s]!) / mostDifferent;
      test.see(Math.max(-1, Math.min(1, difference)));
      const isBetter = best === undefined || test.evidence > this.#tests[best]!.evidence;
      if (test.isDecided && isBetter) best = i;
    }
    if (best !== undefined) this.#switchTo(best);
  }

  #switchTo(next: number): void {
    const from = this.champion;
    const { evidence } = this.#tests[next]!;
    this.#champion = next;
    this.#switches += 1;
    this.#test();
    const { champion: to, standings } = this;
    this.#onSwitch?.({ from, to, sentences: this.#sentences, evidence, standings });
  }

  /** Starts the tests of the champion against all others. */
  #test(): void {
    const { alpha } = this;
    const next = this.#switches + 1;
    const each = alpha / (next * (next + 1) * (this.#entrants.length - 1));
    this.#tests = this.#entrants.map((_, i) =>
      i === this.#champion ? undefined : new SequentialTest({ alpha: each }),
    );
  }

  /**
   * Converts labels predicted by a learner of another model to the numbers of the first learner's
   * model. Returns whether it knows all of them.
   */
  #useLabelsOfFirst({ model }: Learner, { predicted }: Contribution): boolean {
    const { labels } = this.#entrants[0]!.learner.model;
    const { reported } = model.labels;
    for (let t = 0; t < predicted!.length; t += 1) {
      const name = reported[predicted![t]!]!;
      if (labels.reported[predicted![t]!] !== name) predicted![t] = labels.reported.indexOf(name);
    }
    return !predicted!.includes(noLabel);
  }

  save(): State {
    const tests = this.#tests.map(test => test?.save());
    const json = {
      ...{ names: this.#entrants.map(({ name }) => name), champion: this.#champion },
      ...{ switches: this.#switches, sentences: this.#sentences },
      tests: tests.map(test => test?.json ?? null),
    };
    const arrays: Record<string, Float64Array> = {};
    for (const [i, own] of this.#sums.entries()) arrays[`sums.${i}`] = own;
    for (const [i, test] of tests.entries()) {
      if (test !== undefined) arrays[`test.${i}`] = test.arrays.wealth as Float64Array;
    }
    return { json, arrays };
  }

  /**
   * Restores the contest; the learners must be restored separately.
   *
   * @throws TagstreamError `checkpoint` if the state belongs to other learners or is incomplete
   */
  restore(state: State): void {
    const { names, tests } = state.json as { names?: unknown; tests?: unknown };
    const own = this.#entrants.map(({ name }) => name);
    if (JSON.stringify(names) !== JSON.stringify(own) || !Array.isArray(tests)) {
      throw wrongState(`the learners are not ${own.join(', ')}`);
    }
    const champion = stateCount(state, 'champion');
    if (champion >= own.length) throw wrongState('there is no champion');
    this.#champion = champion;
    this.#switches = stateCount(state, 'switches');
    this.#sentences = stateCount(state, 'sentences');
    this.#test();
    for (const [i, test] of this.#tests.entries()) {
      const wealth = stateArray(state, `sums.${i}`, [Float64Array], sums);
      this.#sums[i]!.set(wealth);
      if (test === undefined) continue;
      const json = tests[i] as State['json'] | null;
      if (json === null) throw wrongState(`there is no test of ${own[i]}`);
      test.restore({ json, arrays: { wealth: stateArray(state, `test.${i}`, [Float64Array]) } });
    }
  }
}

type Four = [number, number, number, number];

/** Returns the number of a sentence's tokens whose gold tag is known. */
export function countKnown({ tags, partialTags }: EncodedSentence['sentence']): number {
  if (tags !== undefined) return tags.length;
  if (partialTags === undefined) return 0;
  let known = 0;
  for (const tag of partialTags) if (determinedTag(tag) !== null) known += 1;
  return known;
}

/** Returns the number of tokens whose predicted label differs from the known gold tag. */
export function countWrong(
  { tags, partialTags }: EncodedSentence['sentence'],
  names: readonly string[],
  predicted: Int32Array,
  start: number,
): number {
  const gold: readonly PartialTag[] | undefined = tags ?? partialTags;
  if (gold === undefined) return 0;
  let wrong = 0;
  for (let t = 0; t < gold.length; t += 1) {
    const tag = determinedTag(gold[t]!);
    if (tag !== null && names[predicted[start + t]!] !== tag) wrong += 1;
  }
  return wrong;
}

/**
 * Returns the champion's step with the first learner's counts. Built field by field, like the steps of
 * `evaluateProgressive`.
 */
function servedStep(
  { step, sentencesSeen, passEnd }: TrainingStep,
  served: TrainingStep,
): TrainingStep {
  const { contribution, meanLoss, margin } = served;
  return { contribution, step, sentencesSeen, meanLoss, passEnd, margin };
}
