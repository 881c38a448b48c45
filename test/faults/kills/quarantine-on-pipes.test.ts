import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { EMPTY, mergeMap, of } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { lockDirectory } from '../../../src/runtime/io/checkpoints/directory.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { writeDocuments } from '../../../src/runtime/io/document-sink.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { openProgress } from '../../../src/runtime/pipeline/tagging/progress/open-progress.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
const codec = ndjsonCodec();
const record = (id: string) => `{"id":"${id}","tokens":["a"]}\n`;

interface Run {
  send(id: string): void;
  readonly rejected: string[];
  readonly written: string[];
  /** At work on a record that will not come to its end, as one that kills the process. */
  readonly stuck: string[];
}

/** A run on the standard input of which nothing is heard any more where it would be killed. */
async function begin(name: string): Promise<Run> {
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  // The locks of a process that was killed are nobody's; those of the run before are this process's.
  for (const name of ['.lock', '.out.lock']) rmSync(join(directory, name), { force: true });
  const rejected: string[] = [];
  const written: string[] = [];
  const stuck: string[] = [];
  const deadLetters = new DeadLetters({ policy: 'skip' });
  deadLetters.add = bad => void rejected.push(bad.error.code);
  const progress = await openProgress({
    ...{
      directory,
      recordEnd: '\n',
      inputs: ['-'],
      file: join(directory, 'out'),
      resume: true,
      mayChange: () => false,
      deadLetters,
    },
    ...{ config: () => ({}), isStopped: () => false, records: 1, lock: lockDirectory(directory) },
  });
  const stdin = new PassThrough();
  const documents = documentSource({
    ...{ files: ['-'], codec, deadLetters, stdin, ...progress.reading },
  });
  const tag = (document: Document) => {
    if (document.id === 'killer') {
      stuck.push(document.id);
      return EMPTY;
    }
    return of({ document, tokens: document.tokens!, tags: ['X'] });
  };
  const hooks = {
    ...progress.hooks,
    onWritten: (records: number) => {
      progress.hooks.onWritten?.(records);
      written.push(...Array<string>(records).fill('X'));
    },
  };
  void writeDocuments(documents.pipe(mergeMap(tag)), progress.output, codec, {}, hooks);
  return { send: id => void stdin.write(record(id)), rejected, written, stuck };
}

const patience = { timeout: 60_000 };

function isAtRest(name: string): boolean {
  const note = readFileSync(join(folder, name, 'in-flight.json'), 'utf8');
  return !(JSON.parse(note) as { working: boolean }).working;
}

describe('a tagging run on a pipe with checkpoints', () => {
  it('is killed eleven times while idle, and no later record is put aside', patience, async () => {
    for (let run = 0; run < 12; run += 1) {
      const { send, rejected, written } = await begin('idle');
      send(`r${run + 10}`);
      await vi.waitUntil(() => written.length + rejected.length > 0, patience);
      expect([run, rejected]).toEqual([run, []]);
      await vi.waitUntil(() => isAtRest('idle'), patience);
    }
  });

  it('puts aside the record that kills it when it is sent again', patience, async () => {
    for (let deaths = 0; deaths < 11; deaths += 1) {
      const { send, stuck, rejected } = await begin('killer');
      for (const id of [`a${deaths}`, 'killer']) send(id);
      await vi.waitUntil(() => stuck.length > 0, patience);
      expect(rejected).toEqual([]);
    }
    const { send, stuck, rejected, written } = await begin('killer');
    for (const id of ['another', 'killer', 'last']) send(id);
    await vi.waitUntil(() => written.length === 2, patience);
    expect([rejected, stuck]).toEqual([['quarantined'], []]);
  });
});
