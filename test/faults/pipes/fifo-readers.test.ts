import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { TagstreamError } from '../../../src/engine/core/errors.js';
import { badRecord } from '../../../src/formats/bad-records/bad-record.js';
import { openFifo } from '../../../src/formats/files/open-fifo.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { start } from '../../cli/commands/start-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';
import { idles } from '../idles.js';

const folder = workspace();
const fifo = (name: string) => {
  const path = join(folder, name);
  execFileSync('mkfifo', [path]);
  return path;
};
/** Has a pipe open, and reads nothing. */
const standing = (path: string) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);

beforeAll(async () => {
  await trainHere(toyPipeline(folder, 60));
  writeFileSync(join(folder, 'many.ndjson'), `${toyRecords(20_000, false).join('\n')}\n`);
  writeFileSync(join(folder, 'bad.ndjson'), `{ ${'x'.repeat(2000)}\n`.repeat(900));
});

describe('a reader of a pipe that stands still', () => {
  for (const { rows, tags } of everyNth(5, [
    ['--out', 'many.ndjson', []],
    ['--out', 'many.ndjson', ['--workers', '2']],
    ['--dead-letter', 'bad.ndjson', ['--max-error-rate', '1']],
  ] as const)) {
    it.each(rows)(
      'cannot keep a run from ending: %s %s %j',
      { tags },
      async (option, input, more) => {
        const path = fifo(`${option}-${more.length}-${input}`);
        const reader = standing(path);
        const run = start(['tag', '--model', 'toy.model', option, path, ...more, input], {
          cwd: folder,
        });
        await idles(run.child);
        run.child.kill('SIGTERM');
        await run.until('stderr', said => said.includes('shutting down'));
        run.child.kill('SIGTERM');
        expect((await run.closed).code).toBe(143);
        closeSync(reader);
      },
    );
  }

  it('is waited for: no letter is lost, and few wait in memory', async () => {
    const path = fifo('slow');
    const letters = new DeadLetters({ policy: 'dead-letter', file: path });
    const reader = standing(path);
    await letters.open();
    const raw = new Uint8Array(1000).fill(120);
    const error = new TagstreamError('not-json', 'no');
    let line = 0;
    while (letters.caughtUp() === undefined) {
      line += 1;
      letters.add({
        position: { source: 'a', line, start: 0, end: 9 },
        raw,
        truncated: false,
        error,
      });
    }
    expect(line).toBeLessThan(500);
    const read = text(openFifo(path));
    closeSync(reader);
    await letters.caughtUp();
    await letters.close();
    expect((await read).trimEnd().split('\n')).toHaveLength(line);
  });

  it('is reported where it goes away before it has all rejected records', {
    tags: 'slow',
  }, async () => {
    const path = fifo('gone');
    const letters = new DeadLetters({ policy: 'dead-letter', file: path });
    const reader = standing(path);
    await letters.open();
    closeSync(reader);
    const error = new TagstreamError('not-json', 'no');
    letters.add(badRecord({ source: 'a', line: 1, start: 0, end: 1 }, '{', error));
    await expect(letters.close()).rejects.toMatchObject({ code: 'file' });
  });
});

it('an output whose reader goes away ends the run without an error', async () => {
  const path = fifo('left');
  const reader = openFifo(path);
  const run = start(['tag', '--model', 'toy.model', '--out', path, 'many.ndjson'], { cwd: folder });
  reader.once('data', () => reader.destroy());
  expect(await run.closed).toMatchObject({ code: 0, stderr: '' });
});
