import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { RunStatus } from '../../../../src/engine/core/run-status.js';
import type { Scores } from '../../../../src/engine/core/training/training-step.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import type { RunOptions } from '../../../../src/runtime/pipeline/setup/run-options.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();

const labelled = [
  '{"id":"1","tokens":["a","dog"],"tags":["B-X","O"]}',
  '{"id":"2","tokens":["a","dog"],"tags":["B-X","O"]}',
  'null',
  '{"id":"4","tokens":["a","cat","."],"tags":["B-X","O","O"]}',
  '{"id":"5","tokens":["the","cat"],"tags":["B-X","O"]}',
];

const online = `version: 1
name: online
source: { ndjson: { files: ["-"] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.5, schedule: constant } }
  - evaluate: { progressive: true, window: 2, report: 1 }
  - checkpoint: { dir: checkpoints, sentences: 2 }
  - tag: {}
train: { corpusSize: 100 }
model: out.model
`;

/** Runs a pipeline on the standard input, which is fed by the test. */
function start(text: string, name: string, more: Partial<RunOptions> = {}) {
  const place = join(folder, name);
  mkdirSync(place);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  stdout.resume();
  const status = new RunStatus();
  const deadLetters = new DeadLetters({ policy: 'dead-letter', file: join(place, 'letters') });
  const pipeline = parsePipeline(text, join(place, 'p.yaml'));
  const finished = runPipeline(pipeline, { deadLetters, status, stdin, stdout, ...more });
  return { place, stdin, status, finished };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve));
}

describe('the status of a run', () => {
  it('has the counts of an online run while it continues, and at its end', async () => {
    const reported: { all: Scores; recent: Scores }[] = [];
    const events = {
      onProgress: (_: unknown, all: Scores, recent: Scores) => reported.push({ all, recent }),
    };
    const { place, stdin, status, finished } = start(online, 'online', { events });
    expect(status.phase).toBe('starting');
    stdin.write(`${labelled.slice(0, 3).join('\n')}\n`);
    await until(() => status.recordsIn === 3 && status.recordsOut === 2);
    expect(status.phase).toBe('running');
    expect(status).toMatchObject({ sentencesSeen: 2, checkpoints: 1, checkpointFailures: 0 });
    expect(status.badRecords!.counts).toEqual({ 'not-an-object': 1 });
    expect(status.progress!()).toEqual(reported[1]);
    expect(status.modelDigest).toBeUndefined();
    stdin.end(`${labelled.slice(3).join('\n')}\n`);
    const result = await finished;
    expect(status).toMatchObject({ recordsIn: 5, recordsOut: 4, sentencesSeen: 4, checkpoints: 2 });
    expect(result).toMatchObject({ records: 4, rejected: 1, sentencesSeen: 4 });
    expect(status.badRecords!.kept).toBe(1);
    expect(status.batches.count).toBe(4);
    expect(status.batches.sum).toBeGreaterThan(0);
    expect(reported).toHaveLength(4);
    expect(status.progress!()).toEqual(reported[3]);
    expect(status.progress!().recent.sentences).toBe(2);
    expect(status.sourceLag!()).toBeUndefined();
    const model = readFileSync(join(place, 'out.model'));
    expect(status.modelDigest).toBe(`sha256:${createHash('sha256').update(model).digest('hex')}`);
  });

  it('counts a checkpoint that cannot be written', async () => {
    const { place, stdin, status, finished } = start(online, 'failing');
    await until(() => status.phase === 'running');
    expect(status.checkpointedAt).toBeGreaterThan(0);
    rmSync(join(place, 'checkpoints'), { recursive: true, force: true });
    // A file in the place of the folder: also the superuser cannot write into it.
    writeFileSync(join(place, 'checkpoints'), '');
    chmodSync(join(place, 'checkpoints'), 0o400);
    stdin.end(`${labelled.join('\n')}\n`);
    await expect(finished).rejects.toThrow('checkpoints');
    expect(status).toMatchObject({ checkpoints: 0, checkpointFailures: 1 });
  });

  it('counts the same whether one thread reads a corpus or two', { tags: 'slow' }, async () => {
    const rows = [...labelled, 'x', '{"tokens":["a"],"tags":["O","O"]}', '', '{"text":"A dog."}'];
    const counted: unknown[] = [];
    for (const workers of [1, 2]) {
      const corpus = online
        .replace('"-"', 'corpus.ndjson')
        .replace(/ {2}- evaluate[\s\S]*tag: \{\}\n/, '')
        .replace('corpusSize: 100', `epochs: 2, workers: ${workers}`);
      const place = join(folder, `corpus-${workers}`);
      mkdirSync(place);
      writeFileSync(join(place, 'corpus.ndjson'), `${rows.join('\n')}\n`);
      const status = new RunStatus();
      const deadLetters = new DeadLetters({ policy: 'skip' });
      const options = { deadLetters, status, sharedReading: 0 };
      await runPipeline(parsePipeline(corpus, join(place, 'p.yaml')), options);
      const { recordsIn, recordsOut, badRecords, sentencesSeen, modelDigest, meanLoss } = status;
      const { counts, kept } = badRecords!;
      counted.push({
        ...{ recordsIn, recordsOut, sentencesSeen, modelDigest, meanLoss, counts, kept },
        batches: status.batches.count,
      });
    }
    expect(counted[0]).toMatchObject({
      recordsIn: 8,
      recordsOut: 0,
      sentencesSeen: 8,
      batches: 8,
      counts: { 'not-an-object': 1, 'not-json': 1, 'length-mismatch': 1 },
      kept: 0,
    });
    expect(counted[1]).toEqual(counted[0]);
  });
});
