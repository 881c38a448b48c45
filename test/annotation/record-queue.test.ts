import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RecordQueue } from '../../src/annotation/queue/record-queue.js';
import { workspace } from '../cli/commands/workspace.js';

const folder = workspace();

function queueOf(content: string | Uint8Array): RecordQueue {
  const path = join(folder, `q${Math.random()}.txt`);
  writeFileSync(path, content);
  return new RecordQueue(path);
}

describe('the queue of records', () => {
  it('finds the lines that are not blank, wherever chunks of the file end', () => {
    const lines = Array.from({ length: 9000 }, (_, i) => 'x'.repeat(i % 300) + i);
    const queue = queueOf(
      lines.map((line, i) => line + (i % 3 === 0 ? '\r\n \n\n' : '\n')).join(''),
    );
    expect(queue.size).toBe(9000);
    const read = Array.from({ length: 9000 }, (_, i) => queue.read(i).text);
    expect(read).toEqual(lines);
    queue.close();
  });

  it('reads NDJSON, with a mark at its start and no end of line at its end', () => {
    const queue = queueOf('\ufeff{"text":"a b"}\n\n{"tokens":["é"],"n":1.0}');
    expect([queue.size, queue.isNdjson]).toEqual([2, true]);
    expect(queue.read(0).text).toBe('a b');
    expect(queue.read(1)).toMatchObject({ tokens: ['é'], raw: '{"tokens":["é"],"n":1.0}' });
    queue.close();
  });

  it('says which record cannot be read', () => {
    const queue = queueOf('{"text":"a"}\n{"text":\n');
    expect(() => queue.read(1)).toThrow(/record 2: not valid JSON/);
    queue.close();
    const bytes = queueOf(Uint8Array.of(0x61, 10, 0xff, 0xfe, 10));
    expect(() => bytes.read(1)).toThrow(/record 2: the record is not valid UTF-8/);
    bytes.close();
  });

  it('refuses a file without a record, and one that is not there', () => {
    expect(() => queueOf(' \n\n')).toThrow(/there is nothing to label/);
    expect(() => new RecordQueue(join(folder, 'none'))).toThrow(/no such file/);
  });

  it('searches from a record on and round', () => {
    const queue = queueOf('one\nTwo\nthree two\n');
    expect([...queue.search('TWO', 2)]).toEqual([2, 1]);
    expect([...queue.search('four', 0)]).toEqual([]);
    queue.close();
  });
});
