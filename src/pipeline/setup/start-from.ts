import { statSync } from 'node:fs';
import { TagstreamError } from '../../core/errors.js';
import { readWhole } from '../../io/checkpoints/read-whole.js';
import { readModel } from '../../models/files/model-file.js';
import type { Model } from '../../models/model.js';
import { growFrom } from '../../models/start/grow-from.js';
import { requireSameFeatures } from '../../models/start/require-same-features.js';
import { takeWeights } from '../../models/start/take-weights.js';
import { restoreModelState } from '../../models/state/model-state.js';
import type { RunContext } from '../definition/run-context.js';
import type { LearnPlan, TrainPlan } from '../plan/plan.js';
import { restorePart } from './restore-run.js';

/**
 * Reads `train.start`, if there is one, before the input is read. On a stream the model, which is empty yet, is
 * given its features and weights, and the stream adds to them.
 *
 * @returns what gives the features of a corpus their weights, once; features of those weights that are not in the corpus
 *   are left out, as the objective is that of the corpus
 * @throws TagstreamError `file`, `checkpoint`, `config`, and what `readModel` throws
 */
export function startWeights(
  { kind, train }: TrainPlan | LearnPlan,
  model: Model,
  context: RunContext,
): (() => void) | undefined {
  if (train.options.start === undefined) return undefined;
  const { paths, events } = context;
  const file = paths.resolve(train.options.start);
  const start = readStart(file, context);
  requireSameFeatures(model.spec, start.spec, file);
  if (kind === 'train') return () => events.onStart?.(file, takeWeights(model, start));
  events.onStart?.(file, growFrom(model, start));
  return undefined;
}

/** The model of a file, or the raw weights of the newest checkpoint of a folder. */
function readStart(file: string, { paths, kernel, catalogue, events }: RunContext): Model {
  const { functions } = catalogue;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return readModel(paths.read(file), file, kernel, functions);
  }
  const parts = readWhole(file, events.onDamagedCheckpoint);
  if (parts === undefined) {
    throw new TagstreamError('checkpoint', 'the folder to start from holds no checkpoint', {
      place: { source: file },
      fix: 'name a model file, or a folder that the stage checkpoint has written to',
    });
  }
  return restorePart(parts, 'model', state =>
    restoreModelState(state, kernel, undefined, functions),
  );
}
