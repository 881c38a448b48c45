import * as z from 'zod';
import { TagstreamError } from '../../core/errors.js';
import { stateArray, stateCount, wrongState } from '../../core/training/read-state.js';
import type { State } from '../../core/training/state.js';
import { planExtraction } from '../../features/extraction/extraction-plan.js';
import { mostIndexEntries } from '../../features/index/most-index-entries.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { noTokenFunctions, type TokenFunctions } from '../../features/template/token-function.js';
import {
  countedWordsSchema,
  labelsSchema,
  learnedWordsSchema,
  modelSpecSchema,
  pairsSchema,
  wordsSchema,
} from '../files/model-header.js';
import { requirePlugins } from '../files/require-plugins.js';
import { readLabels, type StoredLabels } from '../labels/stored-labels.js';
import type { ModelSpec } from '../model-spec.js';
import { savedSpec } from './saved-spec.js';

const savedSchema = z.looseObject({
  spec: modelSpecSchema,
  labels: labelsSchema,
  pairs: z.optional(pairsSchema),
  words: z.optional(wordsSchema),
  labelCapacity: z.int().multipleOf(4).min(4),
  scale: z.number().positive(),
  version: z.int().min(0),
  corpusSize: z.int().min(0).nullable(),
  frozen: z.boolean(),
  seen: z.array(z.int().min(0)).optional(),
  dictionary: z.optional(learnedWordsSchema),
  dictionaryCounts: z.optional(countedWordsSchema),
  stateIndex: z.looseObject({ size: z.int().min(0) }),
  edgeIndex: z.looseObject({ size: z.int().min(0) }),
});

/**
 * Finds out whether the state of a model fits together before anything is built from it: no number in it
 * leads out of an array, and no search in it is endless. Cost O(features + pairs).
 *
 * @throws TagstreamError `checkpoint`
 */
export function checkModelState(state: State, functions: TokenFunctions = noTokenFunctions): void {
  const result = savedSchema.safeParse(state.json);
  if (!result.success) {
    const { path, message } = result.error.issues[0]!;
    throw wrongState(`${path.join('.')}: ${message}`);
  }
  const { spec, labels, labelCapacity } = result.data;
  if (labels.length > labelCapacity) throw wrongState('there are more labels than have a place');
  if (readLabels(result.data as StoredLabels, spec as ModelSpec) === undefined) {
    throw wrongState('its labels do not fit together');
  }
  requirePlugins((spec as ModelSpec).uses, functions, 'the checkpoint');
  checkTemplates(savedSpec(state, functions));
  if (spec.index.mode === 'exact') {
    checkTable(state, 'stateIndex');
    checkTable(state, 'edgeIndex');
    const { size } = result.data.stateIndex;
    if (labels.length === 0 && size > 0) throw wrongState('there are features without labels');
  }
  checkPairs(state, labels.length);
}

function checkTemplates({ templates, columns, resources, functions }: ModelSpec): void {
  try {
    planExtraction(parseTemplates(templates, undefined, functions), columns, resources);
  } catch (cause) {
    throw wrongState(`the templates: ${TagstreamError.from(cause, 'template').problem}`);
  }
}

/** The hash table of an exact index: entries of lo, hi, row + 1, times seen. */
function checkTable(state: State, name: 'stateIndex' | 'edgeIndex'): void {
  const table = stateArray(state, `${name}.table`, [Uint32Array], 4);
  const json = state.json[name] as Record<string, unknown>;
  const size = stateCount({ json, arrays: {} }, 'size');
  const places = table.length / 4;
  if (!Number.isInteger(Math.log2(places))) throw wrongState(`${name} has ${places} places`);
  let entries = 0;
  // Rows that pruning has freed.
  const free = Object.hasOwn(state.arrays, `${name}.free`)
    ? stateArray(state, `${name}.free`, [Uint32Array])
    : new Uint32Array();
  // Before as much memory is taken: each row is in the table, or free.
  if (size > places + free.length) throw wrongState(`${name} has not ${size} rows`);
  const used = new Uint8Array(size);
  for (const row of free) {
    if (row >= size) throw wrongState(`${name} has a row that there is not`);
    used[row]! += 1;
  }
  for (let at = 0; at < table.length; at += 4) {
    const row = table[at + 2]!;
    if (row > size) throw wrongState(`${name} has a row that there is not`);
    if (row > 0) used[row - 1]! += 1;
    if (table[at + 3] !== 0) entries += 1;
  }
  // A table without a free place would be searched without end.
  const isWhole = used.every(times => times === 1);
  if (!isWhole || entries !== json.entries || entries > mostIndexEntries(places)) {
    throw wrongState(`${name} has not ${size} rows, or not ${String(json.entries)} entries`);
  }
}

function checkPairs(state: State, labels: number): void {
  const heads = stateArray(state, 'pairs.heads', [Int32Array]);
  const from = stateArray(state, 'pairs.from', [Uint32Array]);
  const to = stateArray(state, 'pairs.to', [Uint32Array]);
  const next = stateArray(state, 'pairs.next', [Int32Array]);
  const { length } = from;
  if (to.length !== length || next.length !== length) throw wrongState('pairs are not complete');
  for (let i = 0; i < heads.length; i += 1) {
    if (heads[i]! < -1 || heads[i]! >= length) throw wrongState('a pair is not there');
  }
  for (let i = 0; i < length; i += 1) {
    if (from[i]! >= labels || to[i]! >= labels) throw wrongState('a pair has no label');
    // Chains only lead to later pairs, so that each has an end.
    const after = next[i]!;
    if (after !== -1 && (after <= i || after >= length)) throw wrongState('a chain is broken');
  }
}
