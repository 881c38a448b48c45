import { readFileSync } from 'node:fs';
import { fileError } from '../io/file-error.js';
import { openOutput } from '../io/open-output.js';
import { readModelHeader } from '../models/model-header.js';
import { codecOf } from '../pipeline/codec-of.js';
import { type TaggingPool, tagInWorkers } from '../pipeline/tagging/tag-in-workers.js';
import type { TaggingSetup } from '../pipeline/tagging/tagging-task.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tagInput } from './tag-input.js';
import { tellBlankLines } from './tell-blank-lines.js';
import { toldDeadLetters } from './told-dead-letters.js';

/** Tags files, or the standard input, with a model, in the worker threads of a pool, and ends them. */
export async function tagFilesInWorkers(given: TagArguments, pool: TaggingPool): Promise<void> {
  try {
    const { output, decoding, marginals, scores, kernel = 'simd' } = given;
    const modelBytes = sharedBytes(given.model);
    const { spec } = readModelHeader(new Uint8Array(modelBytes), given.model);
    const { files, format } = await tagInput(given, spec);
    const options = { output, decoding, marginals, scores };
    const setup = { modelBytes, modelFile: given.model, kernel, codec: format, options };
    await tagWith(pool, setup, files, given);
  } finally {
    await pool.close();
  }
}

async function tagWith(
  pool: TaggingPool,
  setup: TaggingSetup,
  files: readonly string[],
  given: TagArguments,
): Promise<void> {
  const codec = codecOf(setup.codec);
  const deadLetters = toldDeadLetters(given, { policy: codec.name === 'ndjson' ? 'skip' : 'fail' });
  const output = await openOutput(given.out);
  const stop = stopSignal();
  let blank = 0;
  try {
    await tagInWorkers({
      files,
      codec,
      pool,
      setup,
      output,
      deadLetters,
      signal: stop.signal,
      onBlank: lines => {
        blank += lines;
      },
    });
  } finally {
    stop.dispose();
    deadLetters.finish();
    tellBlankLines(blank);
  }
}

/** A file in memory that threads share. */
function sharedBytes(path: string): SharedArrayBuffer {
  try {
    const bytes = readFileSync(path);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  } catch (cause) {
    throw fileError('read', path, cause);
  }
}
