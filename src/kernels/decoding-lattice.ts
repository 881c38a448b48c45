import { Lattice } from './lattice.js';
import type { ParameterStore } from './store/parameter-store.js';

const lattices = new WeakMap<ParameterStore, Lattice>();

/**
 * The working memory for decoding with some parameters. All who decode with them share it, however many there
 * are and however often they are recreated: it lies in the memory of the parameters, which never shrinks.
 *
 * What is in it holds until the next call of anybody: decode a minibatch, and copy what comes out, without a pause.
 */
export function decodingLattice(parameters: ParameterStore): Lattice {
  let lattice = lattices.get(parameters);
  if (lattice === undefined) {
    lattice = new Lattice(parameters.memory, parameters.precision, false);
    lattices.set(parameters, lattice);
  }
  return lattice;
}
