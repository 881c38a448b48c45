import type { LinearMemory } from '../memory/linear-memory.js';
import { instantiate } from './instantiate.js';
import { recordBytes, sharedRecordBytes } from './record-bytes.js';

/** The functions of the records module; addresses and counts are integers. */
export interface RecordFunctions {
  /** Returns why reading ended; see assembly/records/read-records.ts. */
  readRecords(reader: number): number;
  /** Returns 0 or the reason for stopping; see assembly/records/number-texts.ts. */
  numberTexts(order: number): number;
  /** Returns the number of records split; see assembly/texts/divide-texts.ts. */
  divideTexts(order: number): number;
  /** Returns the number of records with known tokens; see assembly/texts/place-tokens.ts. */
  countTokens(order: number): number;
  placeTokens(order: number): void;
  /** Returns why reading ended; see assembly/records/read-rows.ts. */
  readRows(reader: number): number;
  /** Returns the end of the output. */
  writeRecords(order: number): number;
  /** Returns the end of the output. */
  writeRows(order: number): number;
}

const source = { alone: recordBytes, shared: sharedRecordBytes };
const instances = new WeakMap<LinearMemory, RecordFunctions>();

/** Returns the functions over a memory; one instance per memory. */
export function recordFunctions(memory: LinearMemory): RecordFunctions {
  let functions = instances.get(memory);
  if (functions === undefined) {
    functions = instantiate(memory.memory, source) as unknown as RecordFunctions;
    instances.set(memory, functions);
  }
  return functions;
}
