import type { Lattice } from '../../../../src/engine/kernels/lattice.js';
import { LatticeReader } from '../kernels/lattice-reader.js';
import { sumMatrices } from '../sum-matrices.js';
import { difference } from './difference.js';

/** What an oracle knows of a sentence. */
interface Marginals {
  readonly logZ: number;
  readonly nodes: number[][];
  readonly edges: number[][][];
}

/**
 * The largest difference between an oracle and what inference has found of sentence `s`: log Z, node
 * marginals, edge marginals summed over the sentence, and those of each token that has a slot.
 */
export function marginalDifference(
  lattice: Lattice,
  s: number,
  logZ: number,
  oracle: Marginals,
): number {
  const read = new LatticeReader(lattice, s);
  const found = [logZ, ...read.nodes().flat(), ...read.summedEdges().flat()];
  const sums = sumMatrices(oracle.edges, lattice.labels).flat();
  const expected = [oracle.logZ, ...oracle.nodes.flat(), ...sums];
  for (let t = 1; t < read.length; t += 1) {
    const edges = read.edgesInto(t);
    if (edges === undefined) continue;
    found.push(...edges.flat());
    expected.push(...oracle.edges[t - 1]!.flat());
  }
  return difference(found, expected);
}
