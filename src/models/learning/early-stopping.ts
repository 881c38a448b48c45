import { kinds, requireArgument } from '../../core/schema/require-argument.js';
import { stateArray, stateCount, stateNumber } from '../../core/training/read-state.js';
import type { State, Stateful } from '../../core/training/state.js';
import type { Scores } from '../../core/training/training-step.js';

/**
 * Keeps the best model by its held-out score (F1 for span schemes, else accuracy), and reports when the score
 * has not improved for `patience` evaluations.
 */
export class EarlyStopping implements Stateful {
  readonly #patience: number;
  readonly #modelBytes: () => Uint8Array;
  #best = Number.NEGATIVE_INFINITY;
  #bestPass = 0;
  #sinceBest = 0;
  #bytes: Uint8Array | undefined;

  /** @param modelBytes the model file of the present weights, taken whenever they are the best so far */
  constructor(patience: number, modelBytes: () => Uint8Array) {
    requireArgument('EarlyStopping: the model file', modelBytes, kinds.function);
    this.#patience = patience;
    this.#modelBytes = modelBytes;
  }

  /** The model file of the best weights so far. */
  get bestModel(): Uint8Array | undefined {
    return this.#bytes;
  }

  /** The pass that the best model is from. */
  get bestPass(): number {
    return this.#bestPass;
  }

  /** Whether the scores have not risen for `patience` evaluations. */
  get ended(): boolean {
    return this.#sinceBest >= this.#patience;
  }

  /** Takes note of the scores after a pass; true when training should end. */
  consider(scores: Scores, pass: number): boolean {
    const score = scores.f1 ?? scores.accuracy;
    if (score > this.#best) {
      this.#best = score;
      this.#bestPass = pass;
      this.#sinceBest = 0;
      this.#bytes = this.#modelBytes();
    } else {
      this.#sinceBest += 1;
    }
    return this.ended;
  }

  save(): State {
    const started = this.#bytes !== undefined;
    return {
      json: {
        best: started ? this.#best : null,
        bestPass: this.#bestPass,
        sinceBest: this.#sinceBest,
      },
      arrays: this.#bytes === undefined ? {} : { model: this.#bytes },
    };
  }

  restore(state: State): void {
    const started = state.json.best !== null;
    this.#best = started ? stateNumber(state, 'best') : Number.NEGATIVE_INFINITY;
    this.#bestPass = stateCount(state, 'bestPass');
    this.#sinceBest = stateCount(state, 'sinceBest');
    this.#bytes = started ? stateArray(state, 'model', [Uint8Array]).slice() : undefined;
  }
}
