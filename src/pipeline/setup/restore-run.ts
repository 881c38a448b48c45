import type { Position } from '../../core/delivery/delivery.js';
import { TagstreamError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets.js';
import type { CheckpointParts, State } from '../../core/training/state.js';
import { readWhole } from '../../io/checkpoints/file-checkpoint-store.js';
import { requireSameInput } from '../../io/reading/input-fingerprint.js';
import type { OutputState } from '../../io/writing/output-place.js';
import type { RunEvents } from '../definition/events.js';
import type { Pipeline } from '../definition/pipeline.js';

/**
 * Reads the newest checkpoint of a pipeline; undefined if its folder has none yet.
 *
 * @throws TagstreamError `config` if the pipeline has no stage `checkpoint`; `checkpoint` if no existing checkpoint is
 *   whole, or if another pipeline wrote it
 */
export function restoreRun(pipeline: Pipeline, events: RunEvents): CheckpointParts | undefined {
  const directory = pipeline.plan.checkpoint?.directory;
  if (directory === undefined) throw noCheckpoints(pipeline);
  const parts = readWhole(directory, events.onDamagedCheckpoint);
  if (parts !== undefined) refuseChanges(parts.run?.json.config, pipeline.config, directory);
  return parts;
}

/** Returns the error about a pipeline that cannot be resumed. */
export function noCheckpoints({ file }: Pipeline): TagstreamError {
  return new TagstreamError('config', 'the pipeline writes no checkpoints to resume from', {
    place: { source: file },
    fix: 'add the stage checkpoint',
  });
}

/**
 * Restores an object from its part of a checkpoint.
 *
 * @throws TagstreamError `checkpoint` if the part is missing or does not fit; and any TagstreamError of the object
 *   itself
 */
export function restorePart<Restored>(
  parts: CheckpointParts,
  name: string,
  restore: (state: State) => Restored,
): Restored {
  const state = Object.hasOwn(parts, name) ? parts[name] : undefined;
  if (state === undefined) throw unfit(`there is no part ${name}`, undefined);
  try {
    return restore(state);
  } catch (cause) {
    if (cause instanceof TagstreamError) throw cause;
    throw unfit(`part ${name} is inconsistent`, cause);
  }
}

/**
 * Returns the input position at which a checkpoint was written.
 *
 * @throws TagstreamError `checkpoint` if it is invalid
 */
export function positionOf(parts: CheckpointParts | undefined): Position | undefined {
  const position = parts?.run?.json.position as Position | null | undefined;
  if (position === undefined || position === null) return undefined;
  const { source, line, start, end } = position;
  const counts = [line, start, end].every(value => Number.isSafeInteger(value) && value >= 0);
  if (typeof source === 'string' && counts && line >= 1 && start <= end) return position;
  throw unfit('the position in the input is invalid', undefined);
}

/**
 * Returns the state of the sink's file when a checkpoint was written; undefined if the checkpoint does not continue a
 * file.
 */
export function outputStateOf(parts: CheckpointParts | undefined): OutputState | undefined {
  const bytes = parts?.run?.json.outputBytes;
  if (!Number.isSafeInteger(bytes)) return undefined;
  const file = parts?.run?.json.outputFile as Omit<OutputState, 'bytes'> | undefined;
  return { bytes: bytes as number, ...file };
}

/**
 * Rejects a stream whose input is not that of the checkpoint.
 *
 * @throws TagstreamError `checkpoint`, `file`
 */
export function requireInput(parts: CheckpointParts, position: Position): void {
  const { fingerprint } = parts.run!.json;
  requireSameInput(position, typeof fingerprint === 'string' ? fingerprint : undefined);
}

/**
 * Rejects a corpus whose size differs from that of the run that wrote a checkpoint.
 *
 * @throws TagstreamError `checkpoint`
 */
export function requireCorpus(parts: CheckpointParts, sentences: number): void {
  const before = parts.model?.json.corpusSize;
  if (before === sentences) return;
  throw new TagstreamError(
    'checkpoint',
    `the corpus has ${sentences} labelled sentences, but the interrupted run had ${before}`,
    { fix: 'give the same corpus, or train without --resume' },
  );
}

function unfit(problem: string, cause: unknown): TagstreamError {
  return new TagstreamError('checkpoint', `the checkpoint cannot be resumed from: ${problem}`, {
    fix: 'resume from an older checkpoint, or train without --resume',
    cause,
  });
}

/** Settings of a cluster that do not affect its model. */
const clusterPlaces = ['servers', 'auth', 'tls', 'giveUp', 'stream', 'ackWait', 'create']
  .concat('replicas', 'work', 'lease')
  .map(name => `train.cluster.${name}`);

/** Settings that may change between a run and its continuation. */
const changeable: readonly string[] = [
  'model.file',
  'model.names',
  'sink',
  'test',
  'checks',
  'description',
  'deploy',
  'deadLetters',
  'shutdownTimeout',
  'train.epochs',
  'train.workers',
  ...clusterPlaces,
];

/**
 * Compares the settings of a checkpoint with the current ones, as plain data. Secrets may have changed.
 *
 * @throws TagstreamError `checkpoint`, naming the difference
 */
export function refuseChanges(then: unknown, now: unknown, directory: string): void {
  const before = flat(withoutSecrets(then));
  const after = flat(JSON.parse(JSON.stringify(withoutSecrets(now))));
  const differences: string[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    if (before.get(key) === after.get(key)) continue;
    if (mayChange(key)) continue;
    differences.push(`${key}: ${before.get(key) ?? 'absent'} -> ${after.get(key) ?? 'absent'}`);
  }
  if (differences.length === 0) return;
  throw new TagstreamError(
    'checkpoint',
    `the pipeline is not the one that wrote the checkpoint: ${differences.join('; ')}`,
    { place: { source: directory }, fix: 'undo the change, or start again without --resume' },
  );
}

/**
 * Returns whether a setting may change; of the model, only its file and the names in it, because the checkpoint
 * contains weights for the rest.
 */
function mayChange(key: string): boolean {
  return key === 'model' || changeable.some(of => key === of || key.startsWith(`${of}.`));
}

/** Returns all scalars in a plain value by path. */
function flat(value: unknown, path = '', into = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      flat(item, path === '' ? key : `${path}.${key}`, into);
    }
  } else if (value !== undefined) {
    into.set(path, JSON.stringify(value));
  }
  return into;
}
