import { statSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { readWhole } from '../../io/checkpoints/read-whole.js';
import { readModel } from '../../models/files/model-file.js';
import type { Model } from '../../models/model.js';
import { growFrom } from '../../models/start/grow-from.js';
import { requireSameFeatures } from '../../models/start/require-same-features.js';
import { takeWeights } from '../../models/start/take-weights.js';
import { restoreModelState } from '../../models/state/model-state.js';
import type { RunSetup } from '../definition/run-setup.js';
import { restorePart } from './restore-run.js';

/**
 * Reads `train.start`, if there is one, before the input is read. On a stream the model, which is empty yet, is
 * given its features and weights, and the stream adds to them; a corpus is waited for.
 *
 * @throws TagstreamError `file`, `checkpoint`, `config`, and what `readModel` throws
 */
export function openStart(setup: RunSetup): void {
  const { train, events, model } = setup;
  if (train?.start === undefined) return;
  const file = setup.path(train.start);
  const start = readStart(file, setup);
  requireSameFeatures(model.spec, start.spec, file);
  if (train.epochs === undefined) events.onStart?.(file, growFrom(model, start));
  else setup.startOnCorpus = () => events.onStart?.(file, takeWeights(model, start));
}

/** The model of a file, or the raw weights of the newest checkpoint of a folder. */
function readStart(file: string, setup: RunSetup): Model {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return readModel(setup.readBytes(file), file, setup.kernel, setup.catalogue.functions);
  }
  const parts = readWhole(file, setup.events.onDamagedCheckpoint);
  if (parts === undefined) {
    throw new TagstreamError('checkpoint', 'the folder to start from holds no checkpoint', {
      place: { source: file },
      fix: 'name a model file, or a folder that the stage checkpoint has written to',
    });
  }
  return restorePart(parts, 'model', state =>
    restoreModelState(state, setup.kernel, undefined, setup.catalogue.functions),
  );
}
