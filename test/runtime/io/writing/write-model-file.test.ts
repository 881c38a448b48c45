import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { joined } from '../../../../src/engine/core/arrays.js';
import { modelContents, modelPieces } from '../../../../src/engine/models/files/model-file.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { writeModelFile } from '../../../../src/runtime/io/writing/write-model-file.js';
import { train } from '../../../engine/models/examples/train.js';
import { modelKinds } from '../../../engine/models/files/model-kinds.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const [, options, corpus] = modelKinds[2]!;
const pieces = modelPieces(modelContents(train(corpus, options)));

describe('writeModelFile', () => {
  it('writes the pieces, and nothing else', () => {
    const path = join(directory, 'a.model');
    writeFileSync(path, 'old');
    writeModelFile(path, pieces);
    expect(new Uint8Array(readFileSync(path))).toEqual(joined(pieces));
    expect(readdirSync(directory)).toEqual(['a.model']);
    expect(Tagger.fromBytes(readFileSync(path)).tag(['w1'])).toHaveLength(1);
  });

  it('leaves the old model where the new one cannot be read, whatever is wrong with it', () => {
    const path = join(directory, 'a.model');
    writeFileSync(path, 'old');
    const whole = joined(pieces);
    const damaged = [whole.subarray(0, whole.length - 8), whole.subarray(1), new Uint8Array(0)];
    for (let at = 0; at < pieces[0]!.length; at += 7) {
      const other = whole.slice();
      other[at]! ^= 0x10;
      damaged.push(other);
    }
    for (const bytes of damaged) {
      expect(() => writeModelFile(path, [bytes])).toThrowError(
        expect.objectContaining({
          code: expect.stringMatching(/^model-/),
          place: { source: path },
        }),
      );
    }
    expect(damaged.length).toBeGreaterThan(50);
    expect(readdirSync(directory)).toEqual(['a.model']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });
});
