import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointParts } from '../../../../src/engine/core/training/state.js';
import { FileCheckpointStore } from '../../../../src/runtime/io/checkpoints/file-checkpoint-store.js';
import { littleEndian } from '../../../../src/runtime/io/checkpoints/read-generation.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const never = (name: string) => {
  throw new Error(`${name} was taken for damaged`);
};

function parts(step: number): CheckpointParts {
  return {
    parameters: {
      json: { labels: ['O', 'B-é', '__proto__'], step },
      arrays: {
        weights: Float64Array.of(0.1, -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324, step),
        halves: Float32Array.of(0.1, -0, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** -149),
        rows: Int32Array.of(-1, 2 ** 31 - 1),
        empty: new Uint32Array(0),
      },
    },
    random: {
      json: { rate: -0, nested: { list: [1, 2.5, null], text: 'a\u2028\ud800' } },
      arrays: { bytes: Uint8Array.of(1, 2, 255), words: Uint32Array.of(2 ** 32 - 1) },
    },
    nothing: { json: {}, arrays: {} },
  };
}

const newest = (onDamaged: (name: string, error: Error) => void = never) =>
  new FileCheckpointStore(directory).readNewest(onDamaged);

describe('FileCheckpointStore', () => {
  it('brings back every part, array type and number', () => {
    expect(new FileCheckpointStore(directory).write(parts(1))).toBe('gen-00000001');
    expect(newest()).toStrictEqual(parts(1));
    expect(readdirSync(join(directory, 'gen-00000001')).sort()).toEqual([
      'arrays.bin',
      'manifest.json',
    ]);
  });

  it('writes little-endian arrays one after the other, and a manifest that is JSON', () => {
    const state = { json: { a: 1 }, arrays: { x: Int32Array.of(1), y: Float64Array.of(1) } };
    new FileCheckpointStore(directory).write({ part: state });
    const files = join(directory, 'gen-00000001');
    expect(readFileSync(join(files, 'arrays.bin')).toString('hex')).toBe(
      '01000000000000000000f03f',
    );
    const manifest = JSON.parse(readFileSync(join(files, 'manifest.json'), 'utf8'));
    expect(manifest.format).toBe(1);
    expect(manifest.files['arrays.bin'].bytes).toBe(12);
    expect(manifest.parts).toEqual([
      {
        name: 'part',
        json: { a: 1 },
        sections: [
          { name: 'x', type: 'i32', length: 1 },
          { name: 'y', type: 'f64', length: 1 },
        ],
      },
    ]);
  });

  it('turns the bytes round on a big-endian machine', () => {
    const bytes = (array: Parameters<typeof littleEndian>[0]) => [...littleEndian(array, 'BE')];
    expect(bytes(new Int32Array(Uint8Array.of(1, 2, 3, 4).buffer))).toEqual([4, 3, 2, 1]);
    expect(bytes(new Float64Array(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer))).toEqual([
      8, 7, 6, 5, 4, 3, 2, 1,
    ]);
    expect(bytes(new Float32Array(Uint8Array.of(1, 2, 3, 4).buffer))).toEqual([4, 3, 2, 1]);
    expect(bytes(Uint8Array.of(1, 2))).toEqual([1, 2]);
  });

  it('writes views of part of a memory, shared memory too', () => {
    const memory = new SharedArrayBuffer(64);
    new Float64Array(memory).set([1, 2, 3, 4]);
    const view = new Float64Array(memory, 8, 2);
    new FileCheckpointStore(directory).write({ p: { json: {}, arrays: { view } } });
    expect(newest()!.p!.arrays.view).toStrictEqual(Float64Array.of(2, 3));
  });

  it('gives the same bytes for the same parts', () => {
    const store = new FileCheckpointStore(directory);
    const [first, second] = [store.write(parts(7)), store.write(parts(7))];
    for (const file of ['manifest.json', 'arrays.bin']) {
      expect(readFileSync(join(directory, first!, file))).toEqual(
        readFileSync(join(directory, second!, file)),
      );
    }
  });

  it('keeps the last generations, and counts on', () => {
    const store = new FileCheckpointStore(directory, { keep: 2 });
    for (let step = 1; step <= 4; step += 1) store.write(parts(step));
    expect(readdirSync(directory).sort()).toEqual(['gen-00000003', 'gen-00000004']);
    expect(new FileCheckpointStore(directory, { keep: 1 }).write(parts(5))).toBe('gen-00000005');
    expect(readdirSync(directory)).toEqual(['gen-00000005']);
    expect(newest()).toStrictEqual(parts(5));
  });

  it('orders generations by number, not by name', () => {
    const store = new FileCheckpointStore(directory);
    mkdirSync(join(directory, 'gen-99999999'));
    expect(store.write(parts(1))).toBe('gen-100000000');
    expect(newest()).toStrictEqual(parts(1));
  });

  it('finds nothing in no directory, an empty one, and one of other files', () => {
    expect(new FileCheckpointStore(join(directory, 'no')).readNewest(never)).toBeUndefined();
    expect(newest()).toBeUndefined();
    writeFileSync(join(directory, 'notes.txt'), '');
    mkdirSync(join(directory, 'gen-1'));
    expect(newest()).toBeUndefined();
  });

  it('makes its directory, with those above', () => {
    const deep = join(directory, 'a', 'b');
    new FileCheckpointStore(deep).write(parts(1));
    expect(new FileCheckpointStore(deep).readNewest(never)).toStrictEqual(parts(1));
  });

  it('removes what a killed run left, with the first write', () => {
    mkdirSync(join(directory, '.tmp-gen-00000002'));
    writeFileSync(join(directory, '.tmp-gen-00000002', 'arrays.bin'), 'half');
    expect(newest()).toBeUndefined();
    new FileCheckpointStore(directory).write(parts(1));
    expect(readdirSync(directory)).toEqual(['gen-00000001']);
  });

  it('leaves no trace of a write that fails', () => {
    const store = new FileCheckpointStore(directory);
    store.write(parts(1));
    expect(() => store.write({ p: { json: { rate: Number.NaN }, arrays: {} } })).toThrowError(
      'a checkpoint cannot store the number NaN at p.json.rate',
    );
    const wrong = {
      p: { json: {}, arrays: { f: new Int16Array(1) as unknown as Int32Array } },
    };
    expect(() => store.write(wrong)).toThrowError('a checkpoint cannot store the array p.arrays.f');
    expect(readdirSync(directory)).toEqual(['gen-00000001']);
    expect(newest()).toStrictEqual(parts(1));
  });

  it('names the directory that cannot be written to', () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    expect(() => new FileCheckpointStore(file).write(parts(1))).toThrowError(
      `cannot write a checkpoint to ${file}`,
    );
  });

  it('refuses to keep none', () => {
    expect(() => new FileCheckpointStore(directory, { keep: 0 })).toThrowError(
      'keep is 0 (keep at least 1)',
    );
  });
});

describe('a damaged generation', () => {
  const damages: [name: string, damage: (generation: string) => unknown][] = [
    ['arrays cut short', g => truncateSync(join(g, 'arrays.bin'), 40)],
    ['arrays empty', g => truncateSync(join(g, 'arrays.bin'), 0)],
    ['arrays with more behind', g => writeFileSync(join(g, 'arrays.bin'), 'x', { flag: 'a' })],
    ['no arrays', g => rmSync(join(g, 'arrays.bin'))],
    ['manifest cut short', g => truncateSync(join(g, 'manifest.json'), 100)],
    ['manifest empty', g => truncateSync(join(g, 'manifest.json'), 0)],
    ['no manifest', g => rmSync(join(g, 'manifest.json'))],
    ['an empty directory', g => ['manifest.json', 'arrays.bin'].map(f => rmSync(join(g, f)))],
  ];

  it.each(damages)('is named and passed over: %s', (_, damage) => {
    const store = new FileCheckpointStore(directory);
    for (const step of [1, 2]) store.write(parts(step));
    damage(join(directory, 'gen-00000002'));
    const named: string[] = [];
    expect(
      newest((name, error) => named.push(name, error.message.slice(0, directory.length))),
    ).toStrictEqual(parts(1));
    expect(named[0]).toBe('gen-00000002');
    expect(named.length).toBe(2);
    damage(join(directory, 'gen-00000001'));
    const both: string[] = [];
    expect(newest(name => both.push(name))).toBeUndefined();
    expect(both).toEqual(['gen-00000002', 'gen-00000001']);
    expect(store.write(parts(3))).toBe('gen-00000003');
    expect(newest()).toStrictEqual(parts(3));
  });

  it.each(['manifest.json', 'arrays.bin'])(
    'is found out wherever a bit of %s was flipped',
    file => {
      const store = new FileCheckpointStore(directory);
      store.write({ p: { json: { a: [1], b: 'é' }, arrays: { x: Float64Array.of(1.5, 2) } } });
      const path = join(directory, 'gen-00000001', file);
      const whole = readFileSync(path);
      expect(newest()!.p!.json.b).toBe('é');
      const unnoticed: number[] = [];
      for (let at = 0; at < whole.length; at += 1) {
        const bytes = Buffer.from(whole);
        bytes[at]! ^= 1 << (at % 8);
        writeFileSync(path, bytes);
        if (newest(() => undefined) !== undefined) unnoticed.push(at);
      }
      expect(unnoticed).toEqual([]);
    },
  );

  it('says what is wrong with it', () => {
    new FileCheckpointStore(directory).write(parts(1));
    const generation = join(directory, 'gen-00000001');
    const problem = () => {
      const messages: string[] = [];
      newest((_, error) => messages.push(error.message));
      return messages;
    };
    const bytes = readFileSync(join(generation, 'arrays.bin'));
    bytes[3]! ^= 4;
    writeFileSync(join(generation, 'arrays.bin'), bytes);
    expect(problem()).toEqual([`${generation}: arrays.bin is damaged: its SHA-256 does not match`]);
    rmSync(join(generation, 'manifest.json'));
    expect(problem()).toEqual([
      `cannot read the checkpoint ${generation}: no such file or directory (check the path)`,
    ]);
  });
});
