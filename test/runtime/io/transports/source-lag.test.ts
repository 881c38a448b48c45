import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { lastValueFrom, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { RunStatus } from '../../../../src/engine/core/run-status.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { openInput } from '../../../../src/formats/reading/open-input.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';
import { sourceLag } from '../../../../src/runtime/io/transports/file-transport.js';
import { workspace } from '../../../cli/commands/workspace.js';

const folder = workspace();

function file(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe('what is left of an input', () => {
  it('is what the file has after the bytes that were read, also while it grows', async () => {
    const path = file('a', 'x'.repeat(100_000));
    const input = await openInput(path, { start: 10_000 });
    expect(input.left()).toBe(90_000);
    let read = 0;
    for await (const chunk of input.chunks) {
      if (read === 0) {
        writeFileSync(path, 'y'.repeat(500), { flag: 'a' });
        expect(input.left()).toBe(90_500 - chunk.length);
      }
      read += chunk.length;
    }
    expect([read, input.left()]).toEqual([90_500, 0]);
  });

  it('is counted in bytes on the disk where the file is compressed', async () => {
    const packed = gzipSync('{"text":"t"}\n'.repeat(1000));
    const input = await openInput(file('a.gz', packed));
    expect(input.left()).toBe(packed.length);
    for await (const _ of input.chunks);
    expect(input.left()).toBe(0);
  });

  it('is not known of pipes', async () => {
    const stdin = new PassThrough();
    expect((await openInput('-', { stdin })).left()).toBeUndefined();
    expect(sourceLag({ left: () => 5 }, ['-'])).toBeUndefined();
    expect(sourceLag({ left: () => 5 }, [join(folder, 'not there')])).toBeUndefined();
    expect(sourceLag({ left: () => 5 }, ['/dev/null'])).toBeUndefined();
  });

  it('counts files that are not open yet', async () => {
    const line = '{"text":"t"}\n';
    const files = [file('1', line), file('2', line.repeat(2)), file('3', line.repeat(4))];
    const status = new RunStatus();
    const deadLetters = new DeadLetters({ policy: 'skip' });
    const lags: (number | undefined)[] = [];
    const documents = documentSource({ files, codec: ndjsonCodec(), deadLetters, status });
    await lastValueFrom(
      documents.pipe(
        tap(({ delivery }) => {
          lags.push(status.sourceLag!());
          delivery!.release();
        }),
      ),
    );
    const sizes = [6, 4, 4, 0, 0, 0, 0].map(lines => lines * line.length);
    expect(lags).toEqual(sizes);
    expect(status.recordsIn).toBe(7);
  });
});
