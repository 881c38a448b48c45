import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FileTagger } from '../../../../src/io/file-tagger.js';
import { TaggerPool } from '../../../../src/pipeline/tagging/service/tagger-pool.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { toyModelBytes } from '../toy-tagger.js';

const folder = workspace();
const file = join(folder, 'toy.model');
const sentences = Array.from({ length: 300 }, (_, i) => ['the', 'dog', `w${i % 7}`, 'a']);

describe('TaggerPool', () => {
  let pool: TaggerPool;
  beforeAll(async () => {
    writeFileSync(file, new Uint8Array(toyModelBytes()));
    pool = await TaggerPool.load(file, { threads: 2, mostPending: 8 });
  });
  afterAll(() => pool.close());

  it('gives what a tagger in this thread gives', async () => {
    const tagger = FileTagger.load(file);
    expect(await pool.tag(sentences[0]!)).toEqual(tagger.tag(sentences[0]!));
    expect(await pool.tagMany(sentences)).toEqual(tagger.tagMany(sentences));
    expect(await pool.tagText('a dog. The dog runs.')).toEqual(
      tagger.tagText('a dog. The dog runs.'),
    );
  });

  it('has so many requests without an answer, and no more', async () => {
    const asked = Array.from({ length: 8 }, () => pool.tag(['a']));
    expect(pool.pending).toBe(8);
    await expect(pool.tag(['a'])).rejects.toMatchObject({ code: 'busy' });
    await pool.room();
    expect(pool.pending).toBeLessThan(8);
    expect(await Promise.all([...asked, pool.tag(['a'])])).toHaveLength(9);
    expect(pool.pending).toBe(0);
  });

  it('lets in as many of those that wait for room as there is room for', async () => {
    const ask = async () => {
      await pool.room();
      return pool.tag(['a']);
    };
    const answers = await Promise.all(Array.from({ length: 200 }, ask));
    expect(answers).toHaveLength(200);
    // What nobody asks for becomes free again.
    await Promise.all(Array.from({ length: 20 }, () => pool.room()));
    await pool.room();
    expect(await pool.tag(['a'])).toHaveLength(1);
  });

  it('fails a request alone, and tags the next', async () => {
    await expect(pool.tag(['a', 'b'], { pos: ['N'] })).rejects.toMatchObject({
      code: 'length-mismatch',
    });
    expect(await pool.tag(['the'])).toHaveLength(1);
  });

  it('answers what it has before it closes, and takes nothing then', async () => {
    const own = await TaggerPool.load(file, { threads: 1 });
    const asked = sentences.map(tokens => own.tag(tokens));
    await own.close();
    expect(await Promise.all(asked)).toHaveLength(300);
    await expect(own.tag(['a'])).rejects.toMatchObject({ code: 'worker' });
    await own.close();
  });

  it('refuses a file that is no model, and wrong options', async () => {
    writeFileSync(join(folder, 'no.model'), 'nothing');
    await expect(TaggerPool.load(join(folder, 'no.model'))).rejects.toMatchObject({
      code: 'model-format',
    });
    await expect(TaggerPool.load(join(folder, 'absent.model'))).rejects.toMatchObject({
      code: 'file',
    });
    for (const options of [{ threads: 0 }, { threads: 65 }, { mostPending: 0 }]) {
      await expect(TaggerPool.load(file, options)).rejects.toMatchObject({ code: 'config' });
    }
    await expect(TaggerPool.load(file, { thread: 1 } as object)).rejects.toThrow(
      'TaggerPool.load.thread: unknown key "thread" (did you mean threads? known: threads, mostPending)',
    );
  });
});
