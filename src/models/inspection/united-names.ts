import type { FeatureKind } from '../../features/extraction/feature-names.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { findFingerprints } from '../../features/index/find-fingerprints.js';
import type { ModelContents } from '../files/model-file.js';
import type { ModelNotes } from '../files/model-notes.js';
import type { InspectedModel } from './read-inspected.js';

/**
 * The names that features of several models have in their files, by the rows that the features will have in the model
 * that is read from another file.
 *
 * @param contents of that file
 */
export function unitedNames(
  { header, sections }: ModelContents,
  experts: readonly Pick<InspectedModel, 'model' | 'notes'>[],
): ModelNotes['names'] {
  const named = (kind: FeatureKind) => {
    const names = new Map<number, string>();
    const keys = sections[kind === 'state' ? 'state.keys' : 'edges.keys'] as Uint32Array;
    const index = header.spec.index.mode === 'exact' ? ExactIndex.of(keys) : undefined;
    for (const { model, notes } of experts) {
      const from = kind === 'state' ? model.stateIndex : model.edgeIndex;
      const rows = rowsOf(index, from);
      for (const [row, name] of notes.names[kind]) {
        const to = rows === undefined ? row : rows[row]!;
        if (to >= 0 && !names.has(to)) names.set(to, name);
      }
    }
    return names;
  };
  return { state: named('state'), edge: named('edge') };
}

/** For each row its row in the index of the file; undefined where hashed features keep theirs. */
function rowsOf(index: ExactIndex | undefined, from: FeatureIndex): Int32Array | undefined {
  if (index === undefined || !(from instanceof ExactIndex)) return undefined;
  return findFingerprints(index, from.fingerprints());
}
