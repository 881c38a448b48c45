import type { Reals } from '../../../core/arrays.js';
import type { ParameterStore, VotingWeights } from '../../../kernels/store/parameter-store.js';
import { eachEdgeWeight } from '../../../kernels/store/weights.js';
import { numberIn, placedTables, placesOfTable, tableOf } from '../../../kernels/voting/voters.js';
import type { VoterSections } from './voter-sections.js';

/** Names of a model's features in its file. */
export interface FileFeatures {
  /** Rows of the file's state features, by weight, in file order. */
  readonly stateRows: Uint32Array;
  /** Fingerprints by row, lo and hi in turn; absent for a hashed index. */
  readonly state: Uint32Array | undefined;
  readonly edges: Uint32Array | undefined;
}

/** Returns the sections of a model file that hold the voters of its parameters. Cost O(all weights + their changes). */
export function writeVoters(
  voters: VotingWeights,
  parameters: ParameterStore,
  features: FileFeatures,
): VoterSections {
  const store = voters.at(0);
  const views = placedTables.map(table => store.weights[table].view);
  // 1 for parameters with a weight in a voter, later the index in the file's list, from 1.
  const numbers = views.map(present);
  let changes = 0;
  for (let voter = 1; voter < voters.votes.length; voter += 1) {
    const places = voters.changed(voter);
    changes += places.length;
    for (const place of places) numbers[tableOf(place)]![numberIn(place)] = 1;
  }
  const listed: number[] = [];
  const list = (table: number, at: number) => {
    listed.push(table * placesOfTable + at);
    numbers[table]![at] = listed.length;
  };
  const state = listState(store, numbers[0]!, features, list);
  const edges = listEdges(store, parameters, numbers, features, list);
  const places = new Uint32Array(listed.length + changes);
  const values = new Float32Array(places.length);
  const starts = new Uint32Array(voters.votes.length + 1);
  let next = 0;
  const add = (number: number, value: number) => {
    places[next] = number;
    values[next] = value;
    next += 1;
  };
  const weightAt = (place: number) => views[tableOf(place)]![numberIn(place)]!;
  for (const [number, place] of listed.entries()) {
    if (weightAt(place) !== 0) add(number, weightAt(place));
  }
  for (let voter = 1; voter < voters.votes.length; voter += 1) {
    starts[voter] = next;
    const own = voters
      .changed(voter)
      .map(place => numbers[tableOf(place)]![numberIn(place)]! - 1)
      .sort();
    const before = new Float64Array(own.length);
    for (let i = 0; i < own.length; i += 1) before[i] = weightAt(listed[own[i]!]!);
    voters.at(voter);
    for (let i = 0; i < own.length; i += 1) {
      const value = weightAt(listed[own[i]!]!);
      if (value !== before[i]) add(own[i]!, value);
    }
  }
  starts[voters.votes.length] = next;
  return {
    ...state,
    ...edges,
    starts,
    places: places.slice(0, next),
    values: values.slice(0, next),
  };
}

/** Returns 1 for each number that is not 0. */
function present(view: Reals): Uint32Array {
  const marks = new Uint32Array(view.length);
  for (let i = 0; i < view.length; i += 1) if (view[i] !== 0) marks[i] = 1;
  return marks;
}

type List = (table: number, at: number) => void;

function listState(
  { stateRows: count, labels: labelCount, width }: ParameterStore,
  numbers: Uint32Array,
  { stateRows, state: fingerprints }: FileFeatures,
  list: List,
): Pick<VoterSections, 'keys' | 'rows' | 'labels'> {
  const keys: number[] = [];
  const rows: number[] = [];
  const labels: number[] = [];
  const take = (row: number, called: number) => {
    for (let y = 0; y < labelCount; y += 1) {
      if (numbers[row * width + y] === 0) continue;
      list(0, row * width + y);
      rows.push(called);
      labels.push(y);
    }
  };
  const known = new Uint8Array(count);
  if (fingerprints !== undefined) {
    for (const [called, row] of stateRows.entries()) {
      known[row] = 1;
      take(row, called);
    }
  }
  for (let row = 0; row < count; row += 1) {
    if (known[row] === 1) continue;
    const before = rows.length;
    take(row, fingerprints === undefined ? row : stateRows.length + keys.length / 2);
    if (fingerprints !== undefined && rows.length > before) {
      keys.push(fingerprints[row * 2]!, fingerprints[row * 2 + 1]!);
    }
  }
  return {
    keys: Uint32Array.from(keys),
    rows: Uint32Array.from(rows),
    labels: Uint16Array.from(labels),
  };
}

function listEdges(
  store: ParameterStore,
  parameters: ParameterStore,
  numbers: readonly Uint32Array[],
  { edges: fingerprints }: FileFeatures,
  list: List,
): Pick<VoterSections, 'edgeKeys' | 'features' | 'from' | 'to'> {
  const edgeKeys: number[] = [];
  const features: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  const take = (feature: number, called: number) => {
    for (const { table, at, y, z } of pairsOf(store, feature)) {
      if (numbers[table]![at] === 0) continue;
      list(table, at);
      features.push(called);
      from.push(y);
      to.push(z);
    }
  };
  const all = Array.from({ length: store.edgeRows }, (_, feature) => feature);
  if (fingerprints === undefined) {
    for (const feature of all) take(feature, feature);
  } else {
    const isWritten = (feature: number) => feature === 0 || hasWeight(parameters, feature);
    const written = all.filter(isWritten);
    for (const [called, feature] of written.entries()) take(feature, called);
    for (const feature of all.filter(each => !isWritten(each))) {
      const before = features.length;
      take(feature, written.length + edgeKeys.length / 2);
      if (features.length === before) continue;
      edgeKeys.push(fingerprints[(feature - 1) * 2]!, fingerprints[(feature - 1) * 2 + 1]!);
    }
  }
  return {
    edgeKeys: Uint32Array.from(edgeKeys),
    features: Uint32Array.from(features),
    from: Uint16Array.from(from),
    to: Uint16Array.from(to),
  };
}

/** Whether the file of these parameters contains an edge feature. */
function hasWeight(parameters: ParameterStore, feature: number): boolean {
  let has = false;
  eachEdgeWeight(parameters, feature, () => {
    has = true;
  });
  return has;
}

interface PairPlace {
  readonly table: number;
  readonly at: number;
  readonly y: number;
  readonly z: number;
}

/** Returns the places of an edge feature's weights for label pairs, in label order. */
function pairsOf(store: ParameterStore, feature: number): PairPlace[] {
  const { labels, width, matrixSize, pairs } = store;
  const found: PairPlace[] = [];
  if (feature === 0 || store.hasEdgeBlocks) {
    for (let y = 0; y < labels; y += 1) {
      for (let z = 0; z < labels; z += 1) {
        found.push({ table: 1, at: feature * matrixSize + y * width + z, y, z });
      }
    }
    return found;
  }
  for (let at = pairs.heads[feature]!; at >= 0; at = pairs.next[at]!) {
    found.push({ table: 2, at, y: pairs.from[at]!, z: pairs.to[at]! });
  }
  return found.sort((a, b) => a.y - b.y || a.z - b.z);
}
