import { TagstreamError } from '../../core/errors.js';
import { packMinibatch } from '../../core/minibatch/pack-minibatch.js';
import type { DriftCounts } from '../../core/run-status.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import { determinedTag, type PartialTag } from '../../core/sentence/partial-tag.js';
import { type State, type Stateful, stateCount, wrongState } from '../../core/training/state.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { Adwin } from '../../metrics/detectors/adwin.js';
import { Ddm, type DdmOptions } from '../../metrics/detectors/ddm.js';
import type { DriftDetector } from '../../metrics/detectors/drift-detector.js';
import { PageHinkley, type PageHinkleyOptions } from '../../metrics/detectors/page-hinkley.js';
import { type DriftOptions, type DriftWarning, DriftWatch } from '../../metrics/drift-watch.js';
import { SequentialTest } from '../../metrics/sequential-test.js';
import { WordMemory } from '../../metrics/word-memory.js';
import { planeArrays, restorePlane } from '../../optimizers/planes/planes.js';
import { isSpanScheme } from '../../text/tags/tag-scheme.js';
import { countWrong } from './contest.js';
import type { Learner } from './learner.js';
import { servedTags } from './served-tags.js';

/** Detectors by name, with their options. */
export type DriftDetectorChoice =
  | 'watch'
  | 'adwin'
  | 'page-hinkley'
  | 'ddm'
  | { readonly watch: DriftOptions }
  | { readonly adwin: { readonly delta?: number | undefined } }
  | { readonly 'page-hinkley': PageHinkleyOptions }
  | { readonly ddm: DdmOptions };

/** The series that a detector monitors; see `DriftMonitor`. */
export type DriftSeries = 'errors' | 'labels' | 'confidence' | 'words';

/** The response to drift; see `DriftMonitor`. */
export type DriftAnswer = 'warn' | 'restart-steps' | 'reset' | 'shadow';

/** Options of a `DriftMonitor`: the watched series, and the response to a change. */
export interface DriftMonitorOptions {
  /** Detector. Default: `watch`. */
  readonly detector?: DriftDetectorChoice | undefined;
  /** The series that the detector follows; `watch` chooses its own. Default: `errors`. */
  readonly on?: DriftSeries | undefined;
  /** Response to drift. Default: `warn`. */
  readonly answer?: DriftAnswer | undefined;
  /** Receives each signal of drift, and the response. */
  readonly onWarning?: ((warning: DriftWarning) => void) | undefined;
}

/**
 * Number of sentences after a detector's signal during which no other signal is reported, because it
 * belongs to the same change.
 */
const episode = 200;
/**
 * Number of labelled sentences after a response during which there is no other response, so that it
 * can take effect.
 */
const settling = 200;
/** Number of labelled sentences after which a shadow that is not better ends. */
const patience = 5000;
/**
 * Maximum difference in wrong tokens between two learners in a sentence; larger differences are
 * clipped.
 */
const mostDifferent = 4;

/**
 * Watches a learner's stream for drift and responds to it. `DriftWatch` compares recent sentences with usual ones;
 * the other detectors monitor one series of numbers from 0 to 1:
 *
 * | on | number of a sentence |
 * |---|---|
 * | `errors` | share of its labelled tokens whose predicted tag is wrong |
 * | `labels` | the same for each gold tag, each with its own detector |
 * | `confidence` | 1 minus the mean probability of its predicted tags, labelled or not: steps need marginals |
 * | `words` | share of its words that were not seen before, labelled or not |
 *
 * | answer | |
 * |---|---|
 * | `warn` | reports it |
 * | `restart-steps` | the learner keeps its weights and takes large steps again |
 * | `reset` | all weights are set to 0; labels and features stay known |
 * | `shadow` | a fresh learner learns in parallel, and is scored on the same sentences before it learns from them. When a
 * `SequentialTest` finds that it makes fewer errors, it replaces the learner; otherwise it ends after 5,000 labelled sentences |
 *
 * Only the first sign of a change is reported; detector signs in the next 200 sentences are not. A response is not
 * repeated within 200 labelled sentences. Memory and cost are those of the detector, plus those of a second learner
 * while there is a shadow.
 *
 * @example
 * const model = createModel({ templates: 'U0:%x[0,0]\nB' });
 * const learner = createLearner(model, { loss: logLoss(), optimizer: adagrad(), corpusSize: 100 });
 * new DriftMonitor(learner, { detector: 'adwin', on: 'words', answer: 'shadow' }).counts.shadows // => 0
 */
export class DriftMonitor implements Stateful {
  readonly learner: Learner;
  readonly #answer: DriftAnswer;
  readonly #on: DriftSeries;
  readonly #onWarning: DriftMonitorOptions['onWarning'];
  readonly #watch: DriftWatch | undefined;
  readonly #detectorName: string;
  readonly #createDetector: () => DriftDetector;
  /** Detectors by series, or by tag if tags are monitored separately. */
  readonly #detectors = new Map<string, DriftDetector>();
  readonly #words = new WordMemory();
  readonly #signs: Record<string, number> = {};
  #restarts = 0;
  #shadows = 0;
  #takeovers = 0;
  /** Number of sentences so far, and the number up to which detector signals are not reported. */
  #sentences = 0;
  #quietUntil = 0;
  /** Number of labelled sentences so far, and the number up to which there is no other response. */
  #labelled = 0;
  #settledAt = 0;
  #shadow: { learner: Learner; test: SequentialTest; sentences: number } | undefined;

  /** @throws TagstreamError `config` for an unknown detector, or options that it does not have */
  constructor(learner: Learner, options: DriftMonitorOptions = {}) {
    requireArgument('DriftMonitor: the learner', learner, kinds.learner);
    requireKnown('DriftMonitor', options, ['detector', 'on', 'answer', 'onWarning']);
    const { detector = 'watch', on, answer = 'warn', onWarning } = options;
    const [name, own] =
      typeof detector === 'string' ? [detector, {}] : Object.entries(detector)[0]!;
    this.learner = learner;
    this.#answer = answer;
    this.#on = on ?? 'errors';
    this.#onWarning = onWarning;
    this.#detectorName = name;
    this.#watch = name === 'watch' ? new DriftWatch(own as DriftOptions) : undefined;
    if (this.#watch !== undefined && on !== undefined) throw withoutSeries();
    const create = detectors[name as keyof typeof detectors];
    if (this.#watch === undefined && create === undefined) throw unknownDetector(name);
    this.#createDetector = () => create(own as never);
    // Creating a detector now reports invalid options early.
    if (this.#watch === undefined) this.#createDetector();
  }

  get counts(): DriftCounts {
    const [restarts, shadows, takeovers] = [this.#restarts, this.#shadows, this.#takeovers];
    return { signs: { ...this.#signs }, restarts, shadows, takeovers };
  }

  /**
   * Examines a step, and changes the learner if it must respond to drift.
   *
   * @throws TagstreamError `config` for steps without predictions, or without marginals if confidence is monitored
   */
  see({ contribution }: TrainingStep): void {
    const { minibatch, predicted } = contribution;
    if (predicted === undefined) throw withoutPredictions();
    const { model } = this.learner;
    const found: DriftWarning[] = [];
    for (const [s, { sentence }] of minibatch.sentences.entries()) {
      const gold = sentence.tags ?? sentence.partialTags;
      this.#sentences += 1;
      if (gold !== undefined) this.#labelled += 1;
      const tags = servedTags(model, contribution, predicted, s);
      if (this.#watch === undefined) this.#follow(contribution, s, gold, tags, found);
      else if (gold !== undefined && tags !== undefined)
        this.#watch.see(gold, tags, sentence.tokens);
    }
    if (this.#watch !== undefined) found.push(...this.#watch.warnings(isSpanScheme(model.scheme)));
    this.#teachShadow(contribution);
    for (const warning of found) this.#signs[warning.code] = (this.#signs[warning.code] ?? 0) + 1;
    if (found.length > 0) this.#react(found);
  }

  /** Passes a sentence to the detectors. */
  #follow(
    { minibatch, confidence }: TrainingStep['contribution'],
    s: number,
    gold: readonly PartialTag[] | undefined,
    tags: readonly string[] | undefined,
    found: DriftWarning[],
  ): void {
    const { tokens } = minibatch.sentences[s]!.sentence;
    if (tokens.length === 0) return;
    if (this.#on === 'words') {
      this.#add('the share of new words', this.#words.addNew(tokens) / tokens.length, found);
    } else if (tags === undefined) {
      // Nothing was predicted, so nothing can be wrong or in doubt.
    } else if (this.#on === 'confidence') {
      const marginals = confidence?.marginals;
      if (marginals === undefined) throw withoutMarginals();
      const first = confidence!.sentenceStarts[s]!;
      let sum = 0;
      for (let t = 0; t < tags.length; t += 1) sum += marginals[first + t]!;
      this.#add('the doubt about tags', Math.max(0, 1 - sum / tags.length), found);
    } else if (gold !== undefined) this.#followErrors(gold, tags, found);
  }

  #followErrors(gold: readonly PartialTag[], tags: readonly string[], found: DriftWarning[]): void {
    const byLabel = this.#on === 'labels';
    const counts = new Map<string, { wrong: number; all: number }>();
    for (let t = 0; t < gold.length; t += 1) {
      const tag = determinedTag(gold[t]!);
      if (tag === null) continue;
      const series = byLabel ? `errors at "${tag}"` : 'the share of wrong tags';
      const count = counts.get(series) ?? { wrong: 0, all: 0 };
      counts.set(series, count);
      count.all += 1;
      if (tag !== tags[t]) count.wrong += 1;
    }
    for (const [series, { wrong, all }] of counts) this.#add(series, wrong / all, found);
  }

  #add(series: string, value: number, found: DriftWarning[]): void {
    let detector = this.#detectors.get(series);
    if (detector === undefined) {
      detector = this.#createDetector();
      this.#detectors.set(series, detector);
    }
    if (!detector.add(value) || this.#sentences <= this.#quietUntil) return;
    this.#quietUntil = this.#sentences + episode;
    const message = `${this.#detectorName}: ${series} has risen: the stream may have changed`;
    found.push({ code: 'drift', message });
  }

  #react(found: readonly DriftWarning[]): void {
    const answers = this.#labelled >= this.#settledAt && this.#shadow === undefined;
    const done = answers ? this.#begin() : undefined;
    for (const [i, { code, message }] of found.entries()) {
      const told = i === 0 && done !== undefined ? `${message}; ${done}` : message;
      this.#onWarning?.({ code, message: `${told} (see pipelines/drift.md)` });
    }
  }

  /** Responds to drift; returns a description of the response. */
  #begin(): string | undefined {
    if (this.#answer === 'warn') return undefined;
    this.#settledAt = this.#labelled + settling;
    if (this.#answer === 'shadow') {
      this.#shadows += 1;
      this.#shadow = { learner: this.learner.fresh(), test: new SequentialTest(), sentences: 0 };
      return 'a shadow begins to learn';
    }
    this.#restarts += 1;
    const isReset = this.#answer === 'reset';
    this.learner.beginAgain(isReset ? 'weights' : 'steps');
    return isReset ? 'the weights begin again' : 'the steps begin again';
  }

  /** Makes the shadow tag the sentences of a step and learn from them. */
  #teachShadow({ minibatch, predicted }: TrainingStep['contribution']): void {
    const shadow = this.#shadow;
    if (shadow === undefined) return;
    const { model } = this.learner;
    const names = model.labels.reported;
    for (const encoded of minibatch.sentences) shadow.learner.model.meet(encoded);
    const made = shadow.learner.contribute(packMinibatch(minibatch.sentences), true);
    for (const [s, { sentence }] of minibatch.sentences.entries()) {
      if (sentence.tags === undefined && sentence.partialTags === undefined) continue;
      const usual = countWrong(sentence, names, predicted!, minibatch.sentenceStarts[s]!);
      const starts = made.minibatch.sentenceStarts;
      const own = countWrong(sentence, names, made.predicted!, starts[s]!);
      shadow.test.see(Math.max(-1, Math.min(1, (usual - own) / mostDifferent)));
      shadow.sentences += 1;
    }
    shadow.learner.apply(made);
    if (!shadow.test.isDecided && shadow.sentences < patience) return;
    const { sentences, test } = shadow;
    if (test.isDecided) {
      this.#takeovers += 1;
      this.learner.takeOver(shadow.learner);
      this.#settledAt = this.#labelled + settling;
    }
    this.learner.dismiss(shadow.learner);
    this.#shadow = undefined;
    const message = test.isDecided
      ? `the shadow made fewer errors in ${sentences} labelled sentences, and takes over`
      : `the shadow was not better in ${sentences} labelled sentences, and ends`;
    this.#onWarning?.({ code: 'shadow', message: `${message} (see pipelines/drift.md)` });
  }

  save(): State {
    const watch = this.#watch?.save();
    const test = this.#shadow?.test.save();
    const learner = this.#shadow?.learner.save();
    const parameters = this.#shadow?.learner.model.parameters;
    const json = {
      ...{ detector: this.#detectorName, labelled: this.#labelled, settledAt: this.#settledAt },
      ...{ sentences: this.#sentences, quietUntil: this.#quietUntil },
      ...{ signs: { ...this.#signs }, restarts: this.#restarts, shadows: this.#shadows },
      ...{ takeovers: this.#takeovers, words: this.#words.count, watch: watch?.json ?? null },
      detectors: [...this.#detectors].map(([name, detector]) => [name, detector.save().json]),
      shadow: this.#shadow && {
        ...{ sentences: this.#shadow.sentences, scale: parameters!.scale },
        ...{ test: test!.json, learner: learner!.json },
      },
    };
    const arrays = {
      ...named('watch', watch?.arrays),
      ...(this.#watch === undefined ? { words: this.#words.hashes } : {}),
      ...named('test', test?.arrays),
      ...named('learner', learner?.arrays),
      ...(parameters && planeArrays('weights', parameters.weights)),
    };
    return { json, arrays };
  }

  /**
   * Restores the monitor; the learner must be restored first.
   *
   * @throws TagstreamError `checkpoint` if the state belongs to another detector or is incomplete
   */
  restore(state: State): void {
    const json = state.json as Record<string, unknown>;
    if (json.detector !== this.#detectorName) {
      throw wrongState(`drift was detected by ${json.detector}, not by ${this.#detectorName}`);
    }
    this.#labelled = stateCount(state, 'labelled');
    this.#sentences = stateCount(state, 'sentences');
    this.#quietUntil = stateCount(state, 'quietUntil');
    this.#settledAt = stateCount(state, 'settledAt');
    this.#restarts = stateCount(state, 'restarts');
    this.#shadows = stateCount(state, 'shadows');
    this.#takeovers = stateCount(state, 'takeovers');
    Object.assign(this.#signs, json.signs);
    this.#watch?.restore({ json: json.watch as State['json'], arrays: unnamed('watch', state) });
    if (this.#watch === undefined) {
      const hashes = state.arrays.words as Uint32Array | undefined;
      if (hashes?.length !== this.#words.hashes.length) throw wrongState('there are no words');
      this.#words.hashes.set(hashes);
      this.#words.count = stateCount(state, 'words');
    }
    for (const [name, own] of json.detectors as readonly (readonly [string, State['json']])[]) {
      const detector = this.#createDetector();
      detector.restore({ json: own, arrays: {} });
      this.#detectors.set(name, detector);
    }
    const shadow = json.shadow as ShadowState | undefined | null;
    if (shadow === undefined || shadow === null) return;
    const learner = this.learner.fresh();
    const test = new SequentialTest();
    test.restore({ json: shadow.test, arrays: unnamed('test', state) });
    learner.restore({ json: shadow.learner, arrays: unnamed('learner', state) });
    const { parameters } = learner.model;
    restorePlane('weights', parameters.weights, state);
    parameters.scale = shadow.scale;
    this.#shadow = { learner, test, sentences: shadow.sentences };
  }
}

interface ShadowState {
  readonly sentences: number;
  readonly scale: number;
  readonly test: State['json'];
  readonly learner: State['json'];
}

const detectors = {
  adwin: (options: { readonly delta?: number }) => new Adwin(options),
  'page-hinkley': (options: PageHinkleyOptions) => new PageHinkley(options),
  ddm: (options: DdmOptions) => new Ddm(options),
};

/** Returns arrays with prefixed names. */
function named(prefix: string, arrays: State['arrays'] = {}): State['arrays'] {
  return Object.fromEntries(
    Object.entries(arrays).map(([name, array]) => [`${prefix}:${name}`, array]),
  );
}

function unnamed(prefix: string, { arrays }: State): State['arrays'] {
  const own = Object.entries(arrays).filter(([name]) => name.startsWith(`${prefix}:`));
  return Object.fromEntries(own.map(([name, array]) => [name.slice(prefix.length + 1), array]));
}

function unknownDetector(name: string): TagstreamError {
  return new TagstreamError('config', `unknown drift detector ${JSON.stringify(name)}`, {
    fix: 'use watch, adwin, page-hinkley or ddm',
  });
}

function withoutSeries(): TagstreamError {
  return new TagstreamError(
    'config',
    '"on" cannot be combined with the detector watch, which chooses its own series',
    {
      fix: 'leave "on" out, or use adwin, page-hinkley or ddm',
    },
  );
}

function withoutPredictions(): TagstreamError {
  return new TagstreamError('config', 'the steps have no predictions to detect drift in', {
    fix: 'call contribute with predict: true',
  });
}

function withoutMarginals(): TagstreamError {
  return new TagstreamError('config', 'the predictions have no probabilities', {
    fix: 'call contribute with predict: true and marginals: true',
  });
}
