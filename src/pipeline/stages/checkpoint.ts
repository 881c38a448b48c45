import { join } from 'node:path';
import type { Observable, OperatorFunction } from 'rxjs';
import { TagstreamError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets.js';
import type { CheckpointParts } from '../../core/training/checkpoint-store.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { checkpointNames } from '../../io/checkpoints/directory-names.js';
import { FileCheckpointStore } from '../../io/checkpoints/file-checkpoint-store.js';
import { inputFingerprint } from '../../io/reading/input-fingerprint.js';
import { writeModelFile } from '../../io/writing/write-model-file.js';
import { modelContents, modelPieces } from '../../models/files/model-file.js';
import { MixingLearner } from '../../models/group/mixing/mixing-learner.js';
import { saveModelState } from '../../models/state/model-state.js';
import { checkpoint } from '../../operators/checkpoint.js';
import type { RunSetup } from '../definition/run-setup.js';
import { defineStage } from '../definition/stage-component.js';
import { weightSelectionOf } from '../learners/weight-selection-of.js';
import { checkpointOptions } from '../options/stage-options.js';
import { countedCheckpoints } from '../setup/counted-checkpoints.js';

export const checkpointStage = defineStage({
  name: 'checkpoint',
  summary: 'writes the whole state of the run, so that it can resume exactly there',
  example: 'checkpoint: { dir: ../models/chunker, every: epoch, keep: 3 }',
  takes: ['training step', 'tagged sentence'],
  gives: 'as it is',
  options: checkpointOptions,
  files: ({ dir }) => [
    {
      file: dir,
      at: 'dir',
      what: 'the folder of checkpoints',
      names: checkpointNames,
      written: true,
    },
  ],
  create(chosen, setup): OperatorFunction<TrainingStep, TrainingStep> {
    // Where nothing is learned, the position in the input and the length of the output are all there is to keep.
    if (setup.train === undefined) return source => source;
    const { lock } = setup;
    const files = new FileCheckpointStore(setup.path(chosen.dir), { keep: chosen.keep, lock });
    const store = setup.status === undefined ? files : countedCheckpoints(files, setup.status);
    const passes = chosen.every === 'epoch' ? 1 : chosen.every;
    const { onCheckpoint } = setup.events;
    return (source: Observable<TrainingStep>) =>
      source.pipe(
        checkpoint(store, step => partsOf(setup, step), {
          ...(passes === undefined ? {} : { passes }),
          ...(chosen.sentences === undefined ? {} : { sentences: chosen.sentences }),
          ...(chosen.seconds === undefined ? {} : { seconds: chosen.seconds }),
          betweenRecords: setup.train?.epochs === undefined,
          atEnd: () => !(setup.isStopped() && countsAhead(setup)),
          // What was learned until then is good, and is not lost with a stream that cannot be read again.
          atError: error =>
            error instanceof TagstreamError && error.code === 'too-many-bad' && !countsAhead(setup),
          beforeWrite: () => {
            setup.flushSink?.();
            setup.output?.sync();
          },
          onWritten: (name, step) => {
            if (chosen.model) writeModelOf(setup);
            onCheckpoint?.(join(setup.path(chosen.dir), name), step);
          },
        }),
      );
  },
});

/**
 * Whether the model has met sentences that it has not learned from, and counted their features: those that wait for
 * their minibatch, or for their round where shards learn. A stop drops these, and a resumed run counts them again. It has
 * to resume from the checkpoint before.
 */
function countsAhead({ model, train, learner }: RunSetup): boolean {
  const { index } = model.spec;
  if (learner instanceof MixingLearner && learner.waiting > 0) return true;
  return train?.epochs === undefined && index.mode === 'exact' && (index.cutoff ?? 1) > 1;
}

/** The model as it would be at the end of training, if that were now; it can tag once it knows a label. */
function writeModelOf(setup: RunSetup): void {
  const { modelFile, model, learner, catalogue } = setup;
  if (modelFile === undefined || model.labels.size === 0) return;
  const contents = modelContents(learner, weightSelectionOf(setup));
  writeModelFile(modelFile, modelPieces(contents), catalogue.functions);
}

/** All that a run needs to continue as if it had never stopped. */
function partsOf(setup: RunSetup, step: TrainingStep): CheckpointParts {
  const last = step.contribution.minibatch.sentences.at(-1)?.sentence;
  // A corpus is read whole again; only a stream resumes where it was.
  const streams = setup.train?.epochs === undefined;
  const position = (streams ? last?.delivery?.position : undefined) ?? null;
  const fingerprint = position === null ? null : (inputFingerprint(position) ?? null);
  const { bytes: outputBytes = null, ...outputFile } = setup.output?.state ?? {};
  return {
    run: {
      json: {
        config: withoutSecrets(setup.config),
        ...{ position, fingerprint, outputBytes, outputFile },
      },
      arrays: {},
    },
    model: saveModelState(setup.model),
    learner: setup.learner.save(),
    ...(streams ? {} : { history: setup.history.save() }),
    ...(setup.stopping === undefined ? {} : { stopping: setup.stopping.save() }),
    ...(setup.progress === undefined ? {} : { progress: setup.progress.save() }),
    ...(setup.drift === undefined ? {} : { drift: setup.drift.save() }),
  };
}
