import type { State } from '../../core/training/state.js';
import { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { featureFunctions } from '../../kernels/simd/feature-functions.js';
import type { FingerprintList } from '../fingerprints/fingerprint-list.js';
import type { FeatureIndex } from './feature-index.js';
import type { RowList } from './row-list.js';

/**
 * An index with a fixed number of rows, which features share by hash: memory remains constant for
 * any number of features in an endless stream, at the price of collisions. A lookup costs one
 * remainder.
 */
export class HashedIndex implements FeatureIndex {
  readonly mode = 'hashed';
  readonly canGrow = false;
  readonly memory: LinearMemory;
  readonly size: number;

  /** @param size number of rows */
  constructor(size: number, memory = new LinearMemory()) {
    this.size = size;
    this.memory = memory;
  }

  findAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    const { hashRows } = featureFunctions(this.memory);
    const { offset, length, templates } = list;
    hashRows(this.size, offset, length, templates, firstRow, rows.starts, rows.rows, rows.kept);
  }

  internAll(list: FingerprintList, firstRow: number, rows: RowList): void {
    this.findAll(list, firstRow, rows);
  }

  save(): State {
    return { json: { size: this.size }, arrays: {} };
  }
}
