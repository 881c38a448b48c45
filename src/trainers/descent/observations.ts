import type { Objective } from '../objective.js';
import { type Occurrences, occurrencesOf } from './occurrences.js';
import { type WeightBlock, weightBlocks } from './weight-block.js';

/** Something that is seen at some tokens, and the features that see just that. */
export interface Observation {
  readonly blocks: readonly WeightBlock[];
  /** Tokens of the corpus, rising; absent for the plain transitions, which are everywhere. */
  readonly tokens?: Uint32Array;
  /** Values of the features there; absent where all are 1. */
  readonly values?: Float64Array | undefined;
}

/**
 * The observations of a corpus, in the order of their first features: what is active at the same tokens
 * with the same values, as the state and the edge feature of a letter are, is one. So are features that are
 * nowhere active: only penalties pull at their weights. Cost: two looks at all features of the corpus.
 */
export function observationsOf({ corpus, free, parameters }: Objective): Observation[] {
  const state = occurrencesOf(corpus, 'state', parameters.stateRows);
  const edges = occurrencesOf(corpus, 'edge', parameters.edgeRows);
  const found: (Observation & { blocks: WeightBlock[] })[] = [];
  const alike = new Map<number, (typeof found)[number][]>();
  for (const block of weightBlocks(free, parameters)) {
    if (block.kind === 'transitions') {
      found.push({ blocks: [block] });
      continue;
    }
    const { tokens, values } = seen(block.kind === 'state' ? state : edges, block.row);
    const hash = hashOf(tokens);
    const others = alike.get(hash) ?? [];
    const same = others.find(other => equal(tokens, other.tokens!) && agree(values, other.values));
    if (same !== undefined) {
      same.blocks.push(block);
      continue;
    }
    const observation = { blocks: [block], tokens, values };
    alike.set(hash, [...others, observation]);
    found.push(observation);
  }
  return found;
}

function seen({ starts, tokens, values }: Occurrences, row: number) {
  const from = starts[row]!;
  const end = starts[row + 1]!;
  return { tokens: tokens.subarray(from, end), values: values?.subarray(from, end) };
}

/** FNV-1a over the tokens. */
function hashOf(tokens: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < tokens.length; i += 1) hash = Math.imul(hash ^ tokens[i]!, 0x01000193);
  return hash;
}

/** Whether values are the same, where none stand for ones. */
function agree(x: Float64Array | undefined, y: Float64Array | undefined): boolean {
  if (x !== undefined && y !== undefined) return equal(x, y);
  const given = x ?? y;
  return given === undefined || given.every(value => value === 1);
}

function equal(x: Uint32Array | Float64Array, y: Uint32Array | Float64Array): boolean {
  return x.length === y.length && x.every((value: number, i: number) => value === y[i]);
}
