import * as z from 'zod';
import { onlyLoss } from '../requirements.js';
import type { TrainerComponent } from '../trainer-component.js';
import { dualShape } from './dual-trainer.js';
import { LinearSpace } from './linear-space.js';
import {
  type DualSequence,
  goldSequence,
  type MarginSpace,
  sparseProduct,
} from './margin-space.js';
import { Smo } from './smo.js';

const options = z.strictObject({ l2: dualShape.l2, tolerance: dualShape.tolerance });

/** Options of `cuttingPlanes`, with their defaults. */
export type CuttingPlaneOptions = z.infer<typeof options>;

/** Stopping rule for the small problem over the planes: at most a hundredth of a new plane's violation is left. */
const solved = { steps: 10000, rounds: 1, share: 0.01 };

/**
 * Cutting planes for max-margin training, in the dual:
 *
 *     minimise l2 * |w|^2 + xi,   xi >= sum_i wrong(y_i) + w . (F(y_i) - F(y*_i))  for the planes (y_1 ... y_N) so far
 *
 * An iteration finds the whole corpus's worst label sequences at the current w, whose plane touches the summed hinge
 * losses there, and minimises over all planes: the problem of `Smo` with the corpus as one sentence. `gradientNorm` is
 * the gap between objective and planes, which bounds the distance of both from the optimum. Planes without a share in w
 * are dropped. Cost of an iteration: Viterbi over the corpus twice, and the features in which a plane differs from the
 * others. Joachims, Finley and Yu (2009), with one slack variable.
 */
export const cuttingPlanes: TrainerComponent<CuttingPlaneOptions> = {
  name: 'cutting-planes',
  summary: 'max-margin by planes below the hinge losses of the whole corpus, with L2',
  options,
  penalty: ({ l2 }) => ({ l2 }),
  example: 'optimize: { cutting-planes: { l2: 1 } }',
  losses: ['hinge'],
  needs: onlyLoss('hinge'),
  logLinear: () => true,
  oneThread: () => true,
  create(chosen, context) {
    const objective = context.objective(chosen.l2);
    const name = cuttingPlanes.name;
    const space = LinearSpace.of(name, objective);
    return new Smo({ ...chosen, ...solved }, objective, new CorpusSpace(space), name);
  },
};

/**
 * All sentences of a space as a single sentence, whose label sequences are those of the whole corpus. The optimum is the
 * same because sentences are independent, and a sequence is a plane below the summed losses. Memory: the space's, and
 * each sequence's differences from the gold sequence.
 */
class CorpusSpace implements MarginSpace {
  readonly size = 1;
  readonly #space: LinearSpace;
  readonly #gold: Int32Array;

  constructor(space: LinearSpace) {
    this.#space = space;
    this.#gold = joinedLabels(Array.from({ length: space.size }, (_, i) => space.gold(i)));
  }

  gold(): Int32Array {
    return this.#gold;
  }

  worst(): DualSequence {
    return this.#summed(i => this.#space.worst(i));
  }

  sequence(_: number, labels: Int32Array): DualSequence {
    let from = 0;
    return this.#summed(i => {
      const { length } = this.#space.gold(i);
      from += length;
      return this.#space.sequence(i, labels.slice(from - length, from));
    });
  }

  #summed(partOf: (i: number) => DualSequence): DualSequence {
    const parts = Array.from({ length: this.#space.size }, (_, i) => partOf(i));
    const cost = parts.reduce((sum, part) => sum + part.cost, 0);
    if (cost === 0) return goldSequence(this.#gold);
    const sums = new Map<number, number>();
    for (const { places, values } of parts) {
      for (const [k, place] of places.entries()) {
        sums.set(place, (sums.get(place) ?? 0) + values[k]!);
      }
    }
    const places = Uint32Array.from(sums.keys()).sort();
    const values = Float64Array.from(places, place => sums.get(place)!);
    return { labels: joinedLabels(parts.map(({ labels }) => labels)), cost, places, values };
  }

  score(y: DualSequence): number {
    return this.#space.score(y);
  }

  product(_: number, y: DualSequence, z: DualSequence): number {
    return sparseProduct(y, z);
  }

  move(sequences: readonly DualSequence[], amounts: Float64Array): void {
    this.#space.move(sequences, amounts);
  }

  clear(): void {
    this.#space.clear();
  }

  squaredNorm(): number {
    return this.#space.squaredNorm();
  }

  primal(): number {
    return this.#space.primal();
  }

  get active(): number {
    return this.#space.active;
  }

  settle(): void {
    this.#space.settle();
  }
}

function joinedLabels(parts: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let from = 0;
  for (const part of parts) {
    all.set(part, from);
    from += part.length;
  }
  return all;
}
