import type { Position } from '../../../engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { changeableOf, type ResumedRun } from '../../../engine/core/schema/on-resume.js';
import { withoutSecrets } from '../../../engine/core/secrets.js';
import type { CheckpointParts, State } from '../../../engine/core/training/state.js';
import { requireSameInput } from '../../../formats/reading/input-fingerprint.js';
import { readWhole } from '../../io/checkpoints/file-checkpoint-store.js';
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
  if (parts !== undefined) {
    refuseChanges(parts.run?.json.config, pipelineSettings(pipeline), directory);
  }
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

/** Settings of a run that resumes, as plain data, and which of them may have changed. */
export interface ComparedSettings {
  readonly settings: unknown;
  /** What the settings decide, for errors. */
  readonly decides: string;
  /** Returns whether the setting at a path may differ from that of the checkpoint. */
  mayChange(path: readonly string[]): boolean;
}

/** Returns the settings of a pipeline, each of which declares whether it may change; see `onResume`. */
export function pipelineSettings({ config, schema, plan }: Pipeline): ComparedSettings {
  const evaluation = plan.kind === 'tag' ? undefined : plan.evaluation;
  const run: ResumedRun = {
    kind: plan.kind,
    answersDrift: evaluation?.kind === 'progressive' && evaluation.options.drift.answer !== 'warn',
  };
  return {
    settings: config,
    decides: plan.kind === 'tag' ? 'the results' : 'what the model learns',
    mayChange: ([section, ...path]) => {
      // Stages are compared by name; in the schema, each has a number.
      const place = section === 'stages' ? [section, '0', ...path] : [section!, ...path];
      return changeableOf(schema, place, run) !== undefined;
    },
  };
}

/**
 * Compares the settings of a checkpoint with the current ones. Secrets may have changed.
 *
 * @throws TagstreamError `checkpoint`, naming each setting that differs and must not
 */
export function refuseChanges(
  then: unknown,
  { settings, decides, mayChange }: ComparedSettings,
  directory: string,
): void {
  const before = flat(byStage(withoutSecrets(then)));
  const after = flat(byStage(JSON.parse(JSON.stringify(withoutSecrets(settings)))));
  const differences: string[] = [];
  for (const [name, { path }] of new Map([...before, ...after])) {
    const [old, now] = [before.get(name)?.text, after.get(name)?.text];
    if (old === now || mayChange(path)) continue;
    differences.push(`${name}: ${old ?? 'absent'} -> ${now ?? 'absent'}`);
  }
  if (differences.length === 0) return;
  const [what, undo] =
    differences.length === 1
      ? ['a setting that decides', 'the change']
      : [`${differences.length} settings that decide`, 'these changes'];
  throw new TagstreamError(
    'checkpoint',
    `the pipeline is not the one that wrote the checkpoint: it differs in ${what} ${decides}: ${differences.join('; ')}`,
    {
      place: { source: directory },
      fix: `undo ${undo}, or start again without --resume; places, warnings, reports and intervals of checkpoints may change`,
    },
  );
}

/** Returns settings with their stages by name instead of number, and the order of the stages. */
function byStage(settings: unknown): unknown {
  const { stages } = (settings ?? {}) as { readonly stages?: unknown };
  if (!Array.isArray(stages)) return settings;
  const entries = stages.flatMap(stage => Object.entries(stage as object));
  const counts = new Map<string, number>();
  const named = entries.map(([name, options]) => {
    const number = (counts.get(name) ?? 0) + 1;
    counts.set(name, number);
    return [number === 1 ? name : `${name}.${number}`, options] as const;
  });
  const order = named.map(([name]) => name).join(', ');
  return { ...(settings as object), stages: Object.fromEntries(named), 'order of stages': order };
}

/** A scalar in plain data, as JSON. */
interface Scalar {
  readonly path: readonly string[];
  readonly text: string;
}

/** Returns all scalars in plain data by their paths, and what is empty. */
function flat(value: unknown, path: readonly string[] = [], into = new Map<string, Scalar>()) {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  for (const [key, item] of entries) flat(item, [...path, key], into);
  if (entries.length === 0 && value !== undefined) {
    into.set(path.join('.'), { path, text: JSON.stringify(value) });
  }
  return into;
}
