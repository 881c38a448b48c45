import { join } from 'node:path';
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { Position } from '../../core/delivery/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets.js';
import type { CheckpointParts, Stateful } from '../../core/training/state.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { checkpointNames } from '../../io/checkpoints/directory.js';
import { FileCheckpointStore } from '../../io/checkpoints/file-checkpoint-store.js';
import { inputFingerprint } from '../../io/reading/input-fingerprint.js';
import type { ResumableFile } from '../../io/writing/resumable-file.js';
import { checkpoint } from '../../operators/checkpoint.js';
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

/** The parts of checkpoints by name; complete when it is made. */
export type Saves = Readonly<Record<string, Pick<Stateful, 'save'>>>;

/** Inputs of checkpoints, and what else is done with them. */
export interface CheckpointGiven {
  readonly saves: Saves;
  /** The pipeline file as plain data, compared when a run resumes. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * Whether a resumed run continues reading where this one was: a corpus is read from the start
   * again.
   */
  readonly isStream: boolean;
  /** Where the input is, if not at the last sentence of a step. */
  readonly position?: (() => Position | undefined) | undefined;
  /** The output file of tagged records, and what is still on its way there. */
  readonly output?: { readonly file: ResumableFile; flush(): void } | undefined;
  /** Flushes the other outputs of the run to the disk. */
  sync(): void;
  /**
   * Whether the model has seen sentences that it has not learned from, and counted their features. A stop drops these, and
   * a resumed run counts them again: it has to resume from the previous checkpoint.
   */
  countsAhead(): boolean;
  /** Writes the model as if training ended now. */
  writeModel(): void;
}

/** Writes checkpoints of a training as its plan says. */
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
    atEnd: () => !(signal?.aborted === true && countsAhead()),
    // What was learned until then is valid, and must not be lost with a stream that cannot be read
    // again.
    atError: error =>
      error instanceof TagstreamError && error.code === 'too-many-bad' && !countsAhead(),
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

/** Returns all that a run needs to continue as if it had never stopped. */
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
