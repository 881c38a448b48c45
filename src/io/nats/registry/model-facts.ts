import { structureOf } from '../../../inference/structures/structures.js';
import { modelHeaderOf, newestFormatVersion } from '../../../models/files/model-header.js';
import { readNotes } from '../../../models/files/model-notes.js';
import { readSections } from '../../../models/files/section-file.js';
import { detectScheme } from '../../../text/tags/detect-scheme.js';
import type { ModelFacts } from './entries.js';

/**
 * What a registry keeps of a model file beside its bytes.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `model-format`, `model-version`, `model-damaged`
 */
export function modelFacts(bytes: Uint8Array, source: string): ModelFacts {
  const file = readSections(bytes, newestFormatVersion, source);
  const { spec, labels, stateFeatures, nonZeroWeights, trainingSentences, transitions } =
    modelHeaderOf(file, source);
  const { history } = readNotes(file, stateFeatures, source);
  const scores = history.findLast(pass => pass.scores !== undefined)?.scores;
  return {
    format: new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true),
    scorer: spec.scorer ?? 'linear',
    structure: structureOf(spec).name,
    scheme: transitions?.scheme ?? detectScheme(labels),
    labels: labels.length,
    features: stateFeatures,
    weights: nonZeroWeights,
    sentences: trainingSentences,
    input: spec.input?.codec as string | undefined,
    passes: history.length,
    ...(scores === undefined
      ? {}
      : {
          scores: {
            accuracy: scores.accuracy,
            ...(scores.f1 === undefined ? {} : { f1: scores.f1 }),
          },
        }),
  };
}
