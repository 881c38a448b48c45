import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { tableOf, type VisitBlock } from './visit-blocks.js';

/** The weights of a visit as a vector, beside their places in the parameters. */
export class VisitedWeights {
  readonly values: Float64Array;
  readonly #parameters: ParameterStore;
  readonly #blocks: readonly VisitBlock[];

  /** Takes the present weights. */
  constructor(parameters: ParameterStore, blocks: readonly VisitBlock[]) {
    this.#parameters = parameters;
    this.#blocks = blocks;
    this.values = new Float64Array(blocks.at(-1)!.end);
    for (const { block, from, places } of blocks) {
      const table = tableOf(parameters, block.kind);
      for (let k = 0; k < places.length; k += 1) this.values[from + k] = table[places[k]!]!;
    }
  }

  /** Puts the weights into the parameters, and reads back what is left of them in their precision. */
  place(): void {
    for (const { block, from, places } of this.#blocks) {
      const table = tableOf(this.#parameters, block.kind);
      for (let k = 0; k < places.length; k += 1) {
        table[places[k]!] = this.values[from + k]!;
        this.values[from + k] = table[places[k]!]!;
      }
    }
    this.#parameters.version += 1;
  }
}
