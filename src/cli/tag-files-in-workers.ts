import { readFileSync } from 'node:fs';
import { fileError } from '../io/file-error.js';
import { openOutput } from '../io/open-output.js';
import { waitFor } from '../io/wait-for.js';
import { readModelHeader } from '../models/model-header.js';
import { codecOf } from '../pipeline/codec-of.js';
import { Reloadable } from '../pipeline/reload/reloadable.js';
import { type TaggingPool, tagInWorkers } from '../pipeline/tagging/tag-in-workers.js';
import type { NewModel, TaggingSetup } from '../pipeline/tagging/tagging-task.js';
import { deadLettersOf } from './bad-record-options.js';
import { inputFormat } from './input-format.js';
import { type ReloadChecks, readAgain } from './reload-checks.js';
import { type ReloadRequests, reloadRequests } from './reload-requests.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tellBlankLines } from './tell-blank-lines.js';
import { tellKept, tellReloaded } from './tell-reload.js';
import { tellStopped } from './tell-stopped.js';

/** Tags files, or the standard input, with a model, in the worker threads of a pool, and ends them. */
export async function tagFilesInWorkers(given: TagArguments, pool: TaggingPool): Promise<void> {
  const stop = stopSignal(given.shutdownTimeout);
  let reloads: ReloadRequests | undefined;
  try {
    const { model: file, output, decoding, marginals, scores, kernel = 'simd' } = given;
    reloads = reloadRequests(given.watch === true ? file : undefined);
    const modelBytes = sharedBytes(file);
    const { spec } = readModelHeader(new Uint8Array(modelBytes), file);
    const hints = { file: given.inputs[0]!, named: given.format, spec, untagged: true };
    const format = await waitFor(inputFormat(hints, process.stdin), stop);
    if (format === 'stopped') process.stdin.destroy();
    if (format === 'stopped' || format === 'late') return;
    const options = { output, decoding, marginals, scores };
    const setup = { modelBytes, modelFile: file, kernel, codec: format, options };
    const models = newModels({ file, kernel, spec, named: given.format }, format.name);
    reloads.requests.subscribe(() => models.reload());
    await tagWith(pool, setup, given, stop.signal, models);
  } finally {
    reloads?.dispose();
    await pool.close();
    stop.dispose();
  }
}

/** The newest model of a file, once it is not the first one any more. */
function newModels(checks: ReloadChecks, format: string): Reloadable<NewModel | undefined> {
  let generation = 0;
  const make = (): NewModel => {
    // Read here too, so that what is bad gets to no worker.
    const { bytes } = readAgain(checks, format);
    generation += 1;
    return { generation, bytes: shared(bytes) };
  };
  return new Reloadable<NewModel | undefined>(undefined, make, {
    onReloaded: () => tellReloaded(checks.file),
    onKept: tellKept,
  });
}

async function tagWith(
  pool: TaggingPool,
  setup: TaggingSetup,
  given: TagArguments,
  signal: AbortSignal,
  models: Reloadable<NewModel | undefined>,
): Promise<void> {
  const codec = codecOf(setup.codec);
  const deadLetters = deadLettersOf(given, codec.name === 'ndjson');
  const output = await openOutput(given.out);
  let blank = 0;
  try {
    const { records, ended } = await tagInWorkers({
      ...{ codec, pool, setup, output, deadLetters, signal },
      files: given.inputs,
      newModel: () => models.current,
      onBlank: lines => {
        blank += lines;
      },
    });
    if (signal.aborted && !ended) tellStopped(records, given.out);
  } finally {
    deadLetters.finish(given.deadLetter);
    tellBlankLines(blank);
  }
}

/** A file in memory that threads share. */
function sharedBytes(path: string): SharedArrayBuffer {
  try {
    return shared(readFileSync(path));
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}

function shared(bytes: Uint8Array): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}
