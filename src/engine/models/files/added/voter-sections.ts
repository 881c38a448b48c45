import type { TagstreamError } from '../../../core/errors.js';
import type { ParameterStore } from '../../../kernels/store/parameter-store.js';
import { areWeights } from '../../../kernels/store/weights.js';
import {
  exchange,
  placesOfTable,
  Voters,
  type WeightChange,
} from '../../../kernels/voting/voters.js';
import type { ModelHeader } from '../model-header.js';
import { type ModelSections, repeatsKey } from '../model-sections.js';
import type { SectionFile } from '../section-file.js';

/**
 * The voters of a model file. A list contains the parameters that are nonzero or differ between voters, state
 * features first; a voter has ascending indices into this list with its weights. The first voter has all its
 * nonzero weights, each further one only those that differ from the previous voter's.
 */
export interface VoterSections {
  /**
   * Fingerprints of state features with weights only in voters; they follow those of the model
   * itself.
   */
  readonly keys: Uint32Array;
  /** State features, given by index in the file or by row of a hashed index, with their labels. */
  readonly rows: Uint32Array;
  readonly labels: Uint16Array;
  /** Edge features, given by number (0 for the plain transitions), with their label pairs. */
  readonly edgeKeys: Uint32Array;
  readonly features: Uint32Array;
  readonly from: Uint16Array;
  readonly to: Uint16Array;
  /** For each voter, the offset of its indices and weights; the last entry is the end. */
  readonly starts: Uint32Array;
  readonly places: Uint32Array;
  readonly values: Float32Array;
}

const types = {
  keys: 'Uint32Array',
  rows: 'Uint32Array',
  labels: 'Uint16Array',
  edgeKeys: 'Uint32Array',
  features: 'Uint32Array',
  from: 'Uint16Array',
  to: 'Uint16Array',
  starts: 'Uint32Array',
  places: 'Uint32Array',
  values: 'Float32Array',
} as const;

/** Returns the sections under their names in the file. */
export function namedSections(
  voters: VoterSections,
): Record<string, VoterSections[keyof VoterSections]> {
  return Object.fromEntries(
    Object.entries(voters).map(([name, array]) => [`voters.${name}`, array]),
  );
}

/**
 * Reads the voters of a model file after validating them; undefined if there are none.
 *
 * @throws the error that `fail` returns for inconsistent sections
 */
export function readVoterSections(
  file: SectionFile,
  header: ModelHeader,
  model: ModelSections,
  fail: (what: string) => TagstreamError,
): VoterSections | undefined {
  if (header.voters === undefined) return undefined;
  const entries = Object.entries(types).map(([name, type]) => [
    name,
    file.section(`voters.${name}`, type),
  ]);
  const voters = Object.fromEntries(entries) as VoterSections;
  const problem =
    keyProblem(voters, header, model) ??
    stateProblem(voters, header, model) ??
    edgeProblem(voters, header, model) ??
    listProblem(voters, header.voters.length);
  if (problem !== undefined) throw fail(problem);
  return voters;
}

function keyProblem(
  { keys, edgeKeys }: VoterSections,
  { spec }: ModelHeader,
  model: ModelSections,
): string | undefined {
  const isHashed = spec.index.mode === 'hashed';
  for (const [own, others] of [
    [keys, model.keys],
    [edgeKeys, model.edgeKeys],
  ] as const) {
    if (own.length === 0) continue;
    if (isHashed || own.length % 2 !== 0 || repeatsKey(joinedKeys(others, own))) {
      return 'a feature of its voters is wrong';
    }
  }
  return undefined;
}

/** Returns a model's keys followed by those of its voters. */
export function joinedKeys(keys: Uint32Array, more: Uint32Array): Uint32Array {
  if (more.length === 0) return keys;
  const all = new Uint32Array(keys.length + more.length);
  all.set(keys);
  all.set(more, keys.length);
  return all;
}

function stateProblem(
  { keys, rows, labels }: VoterSections,
  { spec: { index }, labels: names }: ModelHeader,
  model: ModelSections,
): string | undefined {
  if (labels.length !== rows.length) return 'the weights of its voters are not complete';
  const most = index.mode === 'hashed' ? index.rows : (model.keys.length + keys.length) / 2;
  for (let i = 0; i < rows.length; i += 1) {
    const isNext =
      i === 0 ||
      rows[i]! > rows[i - 1]! ||
      (rows[i] === rows[i - 1] && labels[i]! > labels[i - 1]!);
    if (rows[i]! >= most || labels[i]! >= names.length || !isNext) return 'a voter has no feature';
  }
  return undefined;
}

function edgeProblem(
  { edgeKeys, features, from, to }: VoterSections,
  { spec: { index }, labels }: ModelHeader,
  model: ModelSections,
): string | undefined {
  if (from.length !== features.length || to.length !== features.length) {
    return 'the transitions of its voters are not complete';
  }
  const most =
    index.mode === 'hashed' ? index.edgeRows : (model.edgeKeys.length + edgeKeys.length) / 2;
  let last = -1;
  for (let i = 0; i < features.length; i += 1) {
    const place = (features[i]! * labels.length + from[i]!) * labels.length + to[i]!;
    const isPair = from[i]! < labels.length && to[i]! < labels.length;
    if (features[i]! > most || !isPair || place <= last) return 'a voter has no transition';
    last = place;
  }
  return undefined;
}

function listProblem(
  { rows, features, starts, places, values }: VoterSections,
  voters: number,
): string | undefined {
  const { length } = places;
  if (!areWeights(values)) return 'a weight of a voter is too large or not finite';
  if (starts.length !== voters + 1 || values.length !== length)
    return 'its voters are not complete';
  if (starts[0] !== 0 || starts[voters] !== length) return 'its voters are not complete';
  for (let voter = 0; voter < voters; voter += 1) {
    const start = starts[voter]!;
    const end = starts[voter + 1]!;
    if (end < start || end > length) return 'a voter has no end';
    for (let i = start; i < end; i += 1) {
      if (places[i]! >= rows.length + features.length) return 'a voter has no such weight';
      if (i > start && places[i]! <= places[i - 1]!) return 'a voter has a weight twice';
    }
  }
  return undefined;
}

/**
 * Adds the voters of a model file to parameters, which must have room for all features; extends the
 * observed pairs by those of the voters. Cost O(all weights + the voters' changes).
 *
 * @param votes number of votes of each voter
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

/** Returns the place in the tables of each parameter in the voters' list. */
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
