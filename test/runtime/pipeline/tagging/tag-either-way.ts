import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect } from 'vitest';
import { RunStatus } from '../../../../src/engine/core/run-status.js';
import {
  type DeadLetterOptions,
  DeadLetters,
} from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { writeDocuments } from '../../../../src/runtime/io/document-sink.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';
import { openOutput } from '../../../../src/runtime/io/writing/open-output.js';
import { type CodecChoice, codecOf } from '../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { MixedTagger } from '../../../../src/runtime/pipeline/tagging/mixed-tagger.js';
import { tagInWorkers } from '../../../../src/runtime/pipeline/tagging/tag-in-workers.js';
import { finishBeforeError } from '../../../../src/runtime/pipeline/tagging/tag-records.js';
import type { TaggingOptions } from '../../../../src/runtime/pipeline/tagging/tagging-options.js';
import type { TaggingPool } from '../../../../src/runtime/pipeline/tagging/tagging-run.js';
import { taggingStages } from '../../../../src/runtime/pipeline/tagging/tagging-stages.js';
import { tagBlocks } from '../../../../src/runtime/pipeline/tagging/write-tagged-blocks.js';
import { WorkerPool } from '../../../../src/runtime/workers/worker-pool.js';
import { bytesOf, cut } from '../../io/sources/read-all.js';
import { toyModel, toyModelBytes } from './toy-tagger.js';

export const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
export const built = new URL(
  '../../../../dist/runtime/pipeline/tagging/tag-worker.js',
  import.meta.url,
);
export const dying = new URL('./fixtures/dying.mjs', import.meta.url);
export const modelBytes = toyModelBytes();
const pools: TaggingPool[] = [];
/** Pools that tag, by their size, which are set up again for each run. */
const kept = new Map<number, TaggingPool>();

export function openPool(size: number, module = built): TaggingPool {
  const pool: TaggingPool = new WorkerPool(module, { size });
  pools.push(pool);
  return pool;
}

/** A pool that has tagged before, or may. */
function tagging(size: number): TaggingPool {
  const pool = kept.get(size) ?? (new WorkerPool(built, { size }) as TaggingPool);
  kept.set(size, pool);
  return pool;
}

/** Ends the workers that `tag` has used: to be done after all tests. */
export async function endTagging(): Promise<void> {
  await Promise.all([...kept.values()].map(pool => pool.close()));
  kept.clear();
}

/** Ends all other workers and empties the folder: to be done after each test. */
export async function cleanUp(): Promise<void> {
  await Promise.all(pools.splice(0).map(pool => pool.close()));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
}

/** What came of a run. */
interface Outcome {
  readonly output: string;
  readonly records: number | undefined;
  /** Records read and written, as whoever watches the run sees them; not of a run that failed. */
  readonly seen: readonly [recordsIn: number, recordsOut: number] | undefined;
  readonly blank: number;
  readonly error: string | undefined;
  readonly letters: readonly { readonly start: number }[];
}

export interface Given {
  readonly format?: CodecChoice;
  readonly policy?: 'fail' | 'skip' | 'dead-letter';
  readonly more?: Partial<DeadLetterOptions>;
  readonly options?: Partial<TaggingOptions>;
  /** Bytes of a chunk of the input. */
  readonly chunk?: number;
  readonly blockBytes?: number | undefined;
}

/** Tags the input with some workers, or none: in one thread, as a stream, or `here`, in blocks. */
export async function tag(
  input: string | Uint8Array,
  workers: number | 'here',
  given: Given,
): Promise<Outcome> {
  const { format = { name: 'ndjson', options: {} }, policy = 'dead-letter', chunk = 1000 } = given;
  const options: TaggingOptions = { output: 'record', decoding: 'viterbi', ...given.options };
  const codec = codecOf(format);
  const file = join(folder, `letters-${workers}.ndjson`);
  const kept = policy === 'dead-letter' ? { file } : {};
  const letterOptions: DeadLetterOptions = { policy, ...kept, ...given.more };
  const deadLetters = new DeadLetters(letterOptions);
  const bytes = typeof input === 'string' ? bytesOf(input) : input;
  const stdin = Readable.from(cut(bytes, chunk), { objectMode: false });
  const stdout = new PassThrough();
  const text = stdout.toArray().then(pieces => Buffer.concat(pieces).toString());
  const output = await openOutput('-', { stdout });
  const status = new RunStatus();
  let blank = 0;
  const onBlank = (lines = 1) => {
    blank += lines;
  };
  const run = async () => {
    if (workers === 0) {
      const stages = taggingStages(toyModel(modelBytes), options, { sentences: 32 });
      const documents = documentSource({
        files: ['-'],
        codec,
        deadLetters,
        onBlank,
        status,
        stdin,
      });
      const tagged = documents.pipe(finishBeforeError(stages));
      return writeDocuments(tagged, output, codec, options, { status });
    }
    if (workers === 'here') {
      const tagger = new MixedTagger(toyModel(modelBytes), format, options);
      status.begin();
      return tagBlocks({
        ...{ files: ['-'], codec, output, deadLetters, onBlank, status, stdin },
        tag: task => tagger.tag(task),
        signal: new AbortController().signal,
        blockBytes: given.blockBytes,
      });
    }
    return tagInWorkers({
      files: ['-'],
      codec,
      pool: tagging(workers),
      setup: { modelBytes, modelFile: 'toy.model', kernel: 'simd', codec: format, options },
      output,
      deadLetters,
      signal: new AbortController().signal,
      onBlank,
      onReady: () => status.begin(),
      status,
      stdin,
      blockBytes: given.blockBytes,
    });
  };
  let records: number | undefined;
  let error: string | undefined;
  try {
    ({ records } = await run());
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  deadLetters.close();
  stdout.end();
  const letters =
    deadLetters.total === 0 || policy !== 'dead-letter'
      ? []
      : readFileSync(file, 'utf8')
          .trim()
          .split('\n')
          .map(line => JSON.parse(line) as { start: number });
  rmSync(file, { force: true });
  if (workers !== 0 && error === undefined) expect(status.phase).toBe('running');
  expect(status.badRecords).toBe(deadLetters);
  const seen = error === undefined ? ([status.recordsIn, status.recordsOut] as const) : undefined;
  if (seen !== undefined) {
    expect(seen[1]).toBe(records);
    expect(seen[0]).toBe(records! + deadLetters.total);
  }
  return { output: await text, records, seen, blank, error, letters };
}
