import { TagstreamError } from '../../../core/errors.js';
import type { EncodedSentence } from '../../../core/minibatch/encoded-sentence.js';
import type { Minibatch } from '../../../core/minibatch/minibatch.js';
import { packMinibatch } from '../../../core/minibatch/pack-minibatch.js';
import { kinds, requireArgument } from '../../../core/schema/require-argument.js';
import { type State, stateArray, stateCount, wrongState } from '../../../core/training/state.js';
import type { Iteration, Trainer } from '../../../core/training/trainer.js';
import { requireStructure } from '../../../inference/structures/structures.js';
import type { Support } from '../../../kernels/store/support.js';
import { Objective } from '../../objective.js';
import { requireFullLabels } from '../../requirements.js';
import type { FeatureParts } from '../../trainer-component.js';
import { CandidateGains } from './candidate-gains.js';

/** Options of feature induction. */
export interface InductionOptions {
  /** Number of rounds that add weights. */
  readonly rounds: number;
  /** Maximum number of weights added per round. */
  readonly add: number;
  /** Minimum gain of an added weight. */
  readonly least: number;
  /** Maximum number of iterations between two rounds; unlimited after the last round. */
  readonly iterations: number;
  /** Number of initial rounds that add only weights of single features. Default 0. */
  readonly singleRounds?: number;
  /** Whether a conjunction requires that each of its parts has a weight. Default false. */
  readonly added?: boolean;
  /** Maximum probability of the gold label at the tokens considered. Default 1: all tokens. */
  readonly unsure?: number;
  /** Returns the parts of each conjunction; needed for `singleRounds` and `added`. */
  readonly parts?: () => FeatureParts;
  /** L2 penalty of the weights. */
  readonly l2: number;
  /** Creates the trainer of the current weights, which starts from the parameters' values. */
  readonly create: (objective: Objective) => Trainer;
}

/**
 * Feature induction: starts with transitions only; each round adds the weights of state features, including conjunctions of
 * templates, with the largest gains for fixed other weights, and then trains all weights. See `weightGain`. Candidates never
 * added have no weight and are not in the model file. Cost of a round: a forward-backward pass, several passes through all
 * candidates, and the iterations on the current features. McCallum (2003); Gupta, Conditional Random Fields, section 4.2.
 * Their candidates are conjunctions with features of the model, at wrongly tagged tokens, as with `added` and `unsure: 0.5`;
 * by default all features of the templates are candidates, at all tokens. With `unsure` below 1, late rounds may have no
 * candidates left, which ends induction.
 */
export class FeatureInduction implements Trainer {
  readonly name = 'induction';
  readonly #options: InductionOptions;
  readonly #all: Objective;
  readonly #support: Support;
  readonly #gains: CandidateGains;
  readonly #parts: FeatureParts | undefined;
  /** Places of the current weights, in order of addition. */
  #places: number[] = [];
  /** Places with which the next round starts. */
  #next: number[] | undefined;
  #objective: Objective | undefined;
  #trainer: Trainer | undefined;
  #round = 0;
  #inRound = 0;
  #iteration = 0;
  /** Number of evaluations in earlier rounds. */
  #evaluated = 0;

  /**
   * @throws TagstreamError `config` unless weights are restricted to observed pairs and all sentences are fully labelled
   */
  constructor(options: InductionOptions, objective: Objective) {
    requireArgument('FeatureInduction: the options', options, kinds.options);
    requireArgument('FeatureInduction: the objective', objective, kinds.objective);
    const { parameters, corpus } = objective;
    requireStructure(parameters.layout, 'single weights', 'the optimizer induction');
    requireFullLabels('induction', corpus);
    if (parameters.support === undefined) {
      throw new TagstreamError(
        'config',
        'the optimizer induction adds weights one by one, so it cannot be combined with support: all',
        {
          fix: 'give featurize: { support: observed }',
        },
      );
    }
    this.#options = options;
    this.#all = objective;
    this.#support = parameters.support;
    this.#gains = new CandidateGains(objective, options.unsure);
    const { singleRounds = 0, added = false, parts: partsOf } = options;
    this.#parts = singleRounds > 0 || added ? partsOf?.() : undefined;
    const weights = parameters.weights.state.view;
    const places: number[] = [];
    for (let i = 0; i < parameters.stateRows * parameters.width; i += 1) {
      if (weights[i] !== 0) places.push(i);
    }
    this.#allowOnly(places);
  }

  iterate(): Iteration {
    const { rounds, iterations } = this.#options;
    if (this.#trainer === undefined || this.#next !== undefined) this.#begin();
    const { ending, evaluations, ...done } = this.#trainer!.iterate();
    this.#iteration += 1;
    this.#inRound += 1;
    const isLast = this.#round === rounds;
    const ended = ending !== undefined || (!isLast && this.#inRound === iterations);
    if (ended && !isLast) this.#choose();
    const result = {
      ...{ ...done, iteration: this.#iteration },
      evaluations: this.#evaluated + evaluations,
    };
    if (!ended || this.#next !== undefined) return result;
    return { ...result, ending: isLast ? ending! : 'decrease' };
  }

  /** Chooses the weights of the next round; none if there is nothing to gain. */
  #choose(): void {
    this.settle();
    this.#gains.update(this.#all, this.#objective?.corpus ?? this.#restricted());
    this.#evaluated += 1;
    const { add: most, least, l2 } = this.#options;
    const { state } = this.#support;
    const isOpen = this.#openRows();
    const { width, labelPart } = this.#all.parameters;
    const best = this.#gains.best(
      { most, least, l2 },
      place =>
        state[place] === 1 ||
        labelPart?.[place % width] === 0 ||
        isOpen?.[Math.floor(place / width)] === 0,
    );
    this.#next = best.length === 0 ? undefined : best.map(({ place }) => place);
  }

  /** Returns 1 for each feature whose weights the next round may add; undefined if all are allowed. */
  #openRows(): Uint8Array | undefined {
    const parts = this.#parts;
    if (parts === undefined) return undefined;
    const { stateRows, width } = this.#all.parameters;
    const has = new Uint8Array(stateRows);
    for (const place of this.#places) has[Math.floor(place / width)] = 1;
    const { singleRounds = 0, added = false } = this.#options;
    const single = this.#round < singleRounds;
    return Uint8Array.from(has, (_, row) => {
      const [first, second] = [parts[2 * row]!, parts[2 * row + 1]!];
      if (first === second) return 1;
      return single || (added && (has[first] !== 1 || has[second] !== 1)) ? 0 : 1;
    });
  }

  #begin(): void {
    if (this.#round === 0) this.#choose();
    this.release();
    this.#evaluated += this.#objective?.evaluations ?? 0;
    this.#allow(this.#next ?? []);
    this.#next = undefined;
    this.#round += 1;
    this.#inRound = 0;
    this.#train();
  }

  /** Creates the trainer of the current weights. */
  #train(): void {
    const { kernel, loss, parameters } = this.#all;
    const corpus = this.#restricted();
    this.#objective = new Objective({ kernel, parameters, corpus, loss, l2: this.#options.l2 });
    this.#trainer = this.#options.create(this.#objective);
  }

  #restricted() {
    const { parameters, corpus } = this.#all;
    const rows = new Uint8Array(parameters.stateRows);
    for (const place of this.#places) rows[Math.floor(place / parameters.width)] = 1;
    return withRows(corpus, rows);
  }

  #allowOnly(places: readonly number[]): void {
    const { state, transitions } = this.#support;
    this.#support.restore(new Uint8Array(state.length), transitions);
    this.#places = [];
    this.#allow(places);
  }

  #allow(places: readonly number[]): void {
    const { width } = this.#all.parameters;
    for (const place of places) {
      this.#support.allowState(Math.floor(place / width), place % width);
      this.#places.push(place);
    }
  }

  settle(): void {
    this.#trainer?.settle?.();
  }

  release(): (() => void) | undefined {
    return this.#trainer?.release?.();
  }

  save(): State {
    const { json, arrays } = this.#trainer!.save();
    return {
      json: {
        ...{ iteration: this.#iteration, round: this.#round, inRound: this.#inRound },
        ...{ evaluated: this.#evaluated, ended: this.#next !== undefined, trainer: json },
      },
      arrays: {
        ...arrays,
        'induction.places': Uint32Array.from(this.#places),
        'induction.next': Uint32Array.from(this.#next ?? []),
      },
    };
  }

  /** @throws TagstreamError `checkpoint` if the state is inconsistent */
  restore(state: State): void {
    const { trainer } = state.json;
    if (typeof trainer !== 'object' || trainer === null) throw wrongState('there is no trainer');
    this.#iteration = stateCount(state, 'iteration');
    this.#round = stateCount(state, 'round');
    this.#inRound = stateCount(state, 'inRound');
    this.#evaluated = stateCount(state, 'evaluated');
    const [places, next] = ['places', 'next'].map(name =>
      Array.from(stateArray(state, `induction.${name}`, [Uint32Array]) as Uint32Array),
    ) as [number[], number[]];
    const { stateRows, width } = this.#all.parameters;
    if ([...places, ...next].some(place => place >= stateRows * width)) {
      throw wrongState('an induced weight has no place');
    }
    this.#allowOnly(places);
    this.#next = state.json.ended === true ? next : undefined;
    this.#train();
    this.#trainer!.restore({ json: trainer as State['json'], arrays: state.arrays });
  }
}

/**
 * Returns the same sentences with only the state features of these rows, whose numbers stay. Cost O(features of all tokens).
 */
function withRows(corpus: readonly Minibatch[], rows: Uint8Array): readonly Minibatch[] {
  return corpus.map(({ sentences }) =>
    packMinibatch(sentences.map(sentence => restricted(sentence, rows))),
  );
}

function restricted(sentence: EncodedSentence, rows: Uint8Array): EncodedSentence {
  const { stateStarts, stateRows, stateValues } = sentence;
  const starts = new Uint32Array(stateStarts.length);
  const kept: number[] = [];
  for (let t = 0; t + 1 < stateStarts.length; t += 1) {
    for (let k = stateStarts[t]!; k < stateStarts[t + 1]!; k += 1) {
      if (rows[stateRows[k]!] === 1) kept.push(k);
    }
    starts[t + 1] = kept.length;
  }
  return {
    ...sentence,
    stateStarts: starts,
    stateRows: Uint32Array.from(kept, k => stateRows[k]!),
    ...(stateValues === undefined
      ? {}
      : { stateValues: Float64Array.from(kept, k => stateValues[k]!) }),
  };
}
