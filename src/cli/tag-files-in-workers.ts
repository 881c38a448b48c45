import { contentDigest } from '../io/content-digest.js';
import { openOutput } from '../io/open-output.js';
import { readBytes } from '../io/read-bytes.js';
import { readModelHeader } from '../models/model-header.js';
import { codecOf } from '../pipeline/codec-of.js';
import { type TaggingPool, tagInWorkers } from '../pipeline/tagging/tag-in-workers.js';
import type { TaggingSetup } from '../pipeline/tagging/tagging-task.js';
import { deadLettersOf } from './bad-record-options.js';
import { inputFormat } from './input-format.js';
import type { Reporting } from './reporting.js';
import { stopSignal } from './stop-signal.js';
import type { TagArguments } from './tag-arguments.js';
import { tellBlankLines } from './tell-blank-lines.js';

/** Tags files, or the standard input, with a model, in the worker threads of a pool, and ends them. */
export async function tagFilesInWorkers(
  given: TagArguments,
  pool: TaggingPool,
  report: Reporting,
): Promise<void> {
  try {
    const { inputs: files, output, decoding, marginals, scores, kernel = 'simd' } = given;
    const modelBytes = sharedBytes(given.model);
    const { status } = report;
    if (status !== undefined) status.modelDigest = contentDigest([new Uint8Array(modelBytes)]);
    const { spec } = readModelHeader(new Uint8Array(modelBytes), given.model);
    const hints = { file: files[0]!, named: given.format, spec, untagged: true };
    const format = await inputFormat(hints, process.stdin);
    const options = { output, decoding, marginals, scores };
    const setup = { modelBytes, modelFile: given.model, kernel, codec: format, options };
    await tagWith(pool, setup, given, report);
  } finally {
    await pool.close();
  }
}

async function tagWith(
  pool: TaggingPool,
  setup: TaggingSetup,
  given: TagArguments,
  report: Reporting,
): Promise<void> {
  const { log, status } = report;
  const codec = codecOf(setup.codec);
  const deadLetters = deadLettersOf(given, codec.name === 'ndjson', log);
  const output = await openOutput(given.out);
  const stop = stopSignal(report);
  let blank = 0;
  try {
    await tagInWorkers({
      files: given.inputs,
      codec,
      pool,
      setup,
      output,
      deadLetters,
      signal: stop.signal,
      onBlank: lines => {
        blank += lines;
      },
      status,
      onReady: () => status?.begin(),
    });
  } finally {
    stop.dispose();
    deadLetters.finish(given.deadLetter);
    tellBlankLines(blank, log);
  }
}

/** A file in memory that threads share. */
function sharedBytes(path: string): SharedArrayBuffer {
  const bytes = readBytes(path);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}
