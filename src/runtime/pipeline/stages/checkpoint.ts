import { join } from 'node:path';
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { withoutSecrets } from '../../../engine/core/secrets.js';
import type { CheckpointParts, Stateful } from '../../../engine/core/training/state.js';
import type { TrainingStep } from '../../../engine/core/training/training-step.js';
import { checkpoint } from '../../../engine/operators/checkpoint.js';
import { inputFingerprint } from '../../../formats/reading/input-fingerprint.js';
import { checkpointNames } from '../../io/checkpoints/directory.js';
import { FileCheckpointStore } from '../../io/checkpoints/file-checkpoint-store.js';
import type { ResumableFile } from '../../io/writing/resumable-file.js';
import type { RunContext } from '../definition/run-context.js';
import { defineStage } from '../definition/stage-component.js';
import { checkpointOptions } from '../options/stage-options.js';
import type { CheckpointPart } from '../plan/plan.js';
import { countedCheckpoints } from '../setup/checkpoints.js';

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
});

/** The parts of checkpoints by name; complete when a checkpoint is made. */
export type Saves = Readonly<Record<string, Pick<Stateful, 'save'>>>;

/** Inputs of checkpoints, and further actions at each checkpoint. */
export interface CheckpointGiven {
  readonly saves: Saves;
  /** The pipeline file as plain data, which is compared when a run resumes. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Whether a resumed run continues reading where this run stopped; a corpus is read again from the start. */
  readonly isStream: boolean;
  /** The position in the input, if not that of the last sentence of a step. */
  readonly position?: (() => Position | undefined) | undefined;
  /** The output file of tagged records, and the records on their way to it. */
  readonly output?: { readonly file: ResumableFile; flush(): void } | undefined;
  /** Flushes the other outputs of the run to disk. */
  sync(): void;
  /**
   * Returns whether the state after a step contains counts of records that were not learned from yet. A stop drops these
   * records, and a resumed run counts them again: it must resume from a checkpoint without them.
   */
  countsAhead(step: TrainingStep): boolean;
  /** Writes the model as if training ended now. */
  writeModel(): void;
}

/** Returns an operator that writes the checkpoints of a training run that its plan requests. */
export function writeCheckpoints(
  { directory, options }: CheckpointPart,
  given: CheckpointGiven,
  { lock, status, events, signal }: RunContext,
): MonoTypeOperatorFunction<TrainingStep> {
  const { keep, every, sentences, seconds, model } = options;
  const { isStream, output, sync, countsAhead, writeModel } = given;
  const files = new FileCheckpointStore(directory, { keep, lock });
  const store = status === undefined ? files : countedCheckpoints(files, status);
  const passes = every === 'epoch' ? 1 : every;
  return checkpoint(store, step => partsAfter(step, given), {
    ...(passes === undefined ? {} : { passes }),
    ...(sentences === undefined ? {} : { sentences }),
    ...(seconds === undefined ? {} : { seconds }),
    betweenRecords: isStream,
    // The steps of a corpus follow each other.
    isSettled: step => isStream && !countsAhead(step),
    atEnd: step => !(signal?.aborted === true && countsAhead(step)),
    // Everything learned so far is valid, and must not be lost with a stream that cannot be read again.
    atError: (error, step) =>
      error instanceof TagstreamError && error.code === 'too-many-bad' && !countsAhead(step),
    beforeWrite: () => {
      output?.flush();
      output?.file.sync();
      sync();
    },
    onWritten: (name, step) => {
      if (model) writeModel();
      events.onCheckpoint?.(join(directory, name), step);
    },
  });
}

/** Returns everything that a run needs to continue as if it had never stopped. */
function partsAfter(
  step: TrainingStep,
  { saves, config, isStream, position: placeOf, output }: CheckpointGiven,
): CheckpointParts {
  const last = step.contribution.minibatch.sentences.at(-1)?.sentence;
  const found = placeOf === undefined ? last?.delivery?.position : placeOf();
  const position = (isStream ? found : undefined) ?? null;
  const fingerprint = position === null ? null : (inputFingerprint(position) ?? null);
  const { bytes: outputBytes = null, ...outputFile } = output?.file.state ?? {};
  const json = {
    config: withoutSecrets(config),
    ...{ position, fingerprint, outputBytes, outputFile },
  };
  const states = Object.entries(saves).map(([name, part]) => [name, part.save()]);
  return { run: { json, arrays: {} }, ...Object.fromEntries(states) };
}
