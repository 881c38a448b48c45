import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { Voters } from '../../../kernels/voting/voters.js';
import {
  exchange,
  placesOfTable,
  type WeightChange,
} from '../../../kernels/voting/weight-change.js';
import type { VoterSections } from './voter-sections.js';

/**
 * Gives parameters the voters of a model file; they have room for all features, and pairs only observed become
 * more by those of the voters. Cost O(all weights + the voters' changes).
 *
 * @param votes of each voter
 */
export function putVoters(
  parameters: ParameterStore,
  voters: VoterSections,
  votes: readonly number[],
): void {
  const places = placesIn(parameters, voters);
  parameters.fitPairs();
  const store = parameters.emptyCopy();
  const changes = votes.map((_, voter): WeightChange => {
    const [start, end] = voters.starts.subarray(voter, voter + 2);
    const values = voters.values.subarray(start, end);
    return {
      places: voters.places.subarray(start, end).map(number => places[number]!),
      values: store.precision === 'float64' ? Float64Array.from(values) : values.slice(),
    };
  });
  exchange(changes[0]!, store.weights);
  parameters.voters = new Voters(store, votes, changes.slice(1), 0);
}

/** Of each parameter in the list of the voters its place in the tables. */
function placesIn(
  { width, matrixSize, hasEdgeBlocks, pairs }: ParameterStore,
  { rows, labels, features, from, to }: VoterSections,
): Uint32Array {
  const places = new Uint32Array(rows.length + features.length);
  for (let i = 0; i < rows.length; i += 1) places[i] = rows[i]! * width + labels[i]!;
  for (let i = 0; i < features.length; i += 1) {
    const feature = features[i]!;
    places[rows.length + i] =
      feature === 0 || hasEdgeBlocks
        ? placesOfTable + feature * matrixSize + from[i]! * width + to[i]!
        : 2 * placesOfTable + pairs.add(feature, from[i]!, to[i]!);
  }
  return places;
}
