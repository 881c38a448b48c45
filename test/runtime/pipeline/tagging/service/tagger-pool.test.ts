// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeModel } from '../../../../../src/engine/models/files/model-file.js';
import { loadTagger } from '../../../../../src/runtime/io/load-tagger.js';
import { TaggerPool } from '../../../../../src/runtime/pipeline/tagging/service/tagger-pool.js';
import { workspace } from '../../../../cli/commands/workspace.js';
import { sentenceOf } from '../../../../engine/features/sentence-of.js';
import { train } from '../../../../engine/models/examples/train.js';
import { toyModelBytes } from '../toy-tagger.js';

const folder = workspace();
const file = join(folder, 'toy.model');
/** A model that marks spans, and tags otherwise than the toy model. */
const otherModelBytes = () => {
  const tags = { tags: ['O', 'B-PET', 'O'] };
  const spec = { templates: 'U00:%x[0,0]\nB' };
  return writeModel(train([sentenceOf(['the', 'dog', 'runs'], tags)], { spec }));
};
const sentences = Array.from({ length: 300 }, (_, i) => ['the', 'dog', `w${i % 7}`, 'a']);

describe('TaggerPool', () => {
  let pool: TaggerPool;
  beforeAll(async () => {
    writeFileSync(file, new Uint8Array(toyModelBytes()));
    pool = await TaggerPool.load(file, { threads: 2, mostPending: 8 });
  });
  afterAll(() => pool.close());

  it('gives what a tagger in this thread gives', async () => {
    const tagger = loadTagger(file);
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
      'TaggerPool.load.thread: unknown key "thread" (did you mean threads? known: threads, tokenizer, mostPending, timeout, maxTextBytes, maxTokens, rules)',
    );
    for (const options of [{ timeout: 0 }, { timeout: Number.NaN }, { maxTokens: 0 }]) {
      await expect(TaggerPool.load(file, options)).rejects.toMatchObject({ code: 'config' });
    }
  });

  it('has the options of a tagger: probabilities of spans, analyses, explanations', async () => {
    const tagger = loadTagger(file);
    const text = 'a dog. The dog runs.';
    const spans = join(folder, 'spans.model');
    writeFileSync(spans, otherModelBytes());
    const marking = await TaggerPool.load(spans, { threads: 1 });
    const found = await marking.tagText(text, { spanProbabilities: true });
    expect(found).toEqual(loadTagger(spans).tagText(text, { spanProbabilities: true }));
    expect(found.spans![0]).toMatchObject({ label: 'PET', text: 'dog' });
    expect(found.spans![0]!.probability).toBeGreaterThan(0.1);
    const { spans: plain, ...rest } = await marking.tagText(text);
    expect({ ...rest, spans: found.spans }).toEqual(found);
    expect(plain).toEqual(found.spans!.map(({ probability, ...span }) => span));
    await marking.close();
    const options = { spanProbabilities: true, decoding: 'minimum-risk' } as const;
    expect(await pool.tagText(text, options)).toEqual(tagger.tagText(text, options));
    const asked = { marginals: 'all', nbest: 3, probability: true } as const;
    expect(await pool.analyze(sentences[0]!, {}, asked)).toEqual(
      tagger.analyze(sentences[0]!, {}, asked),
    );
    expect(await pool.explain(sentences[0]!)).toEqual(tagger.explain(sentences[0]!));
    await expect(pool.tagText(text, { marginal: 1 } as object)).rejects.toThrow(/unknown key/);
    await expect(pool.tagMany([], { mostPending: 1 } as object)).rejects.toThrow(/unknown key/);
  });
});

describe('what a TaggerPool takes', () => {
  const most = { threads: 1, maxTokens: 10 } as const;
  let pool: TaggerPool;
  beforeAll(async () => {
    pool = await TaggerPool.load(file, most);
  });
  afterAll(() => pool.close());

  it('refuses a text of 20 MB at once, as a source refuses such a record', async () => {
    const own = await TaggerPool.load(file, { threads: 1 });
    const text = 'some words '.repeat(2_000_000);
    const began = performance.now();
    await expect(own.tagText(text)).rejects.toMatchObject({ code: 'too-long' });
    await expect(own.tag([text])).rejects.toMatchObject({ code: 'too-long' });
    await expect(own.tagText('ä'.repeat(2 ** 23 + 1))).rejects.toMatchObject({ code: 'too-long' });
    const words = Array.from({ length: 100_001 }, () => 'w');
    for (const refused of [own.tag(words), own.analyze(words), own.explain(words)]) {
      await expect(refused).rejects.toMatchObject({ code: 'too-large' });
    }
    expect(performance.now() - began).toBeLessThan(1000);
    // Short enough to be read, with too many tokens.
    await expect(own.tagText('a '.repeat(2 ** 22))).rejects.toThrow(
      'more than 1600000 tokens in one record (the limit is 1600000; split it, or raise maxTokens)',
    );
    expect(await own.tag(['the'])).toHaveLength(1);
    await own.close();
  });

  it('refuses sentences, tokens and sentences of a request beyond maxTokens', async () => {
    const ten = Array.from({ length: 10 }, () => 'w');
    expect(await pool.tag(ten)).toHaveLength(10);
    await expect(pool.tag([...ten, 'w'])).rejects.toThrow(
      'a sentence of 11 tokens (the limit is 10; split it, or raise maxTokens)',
    );
    await expect(pool.tagText(`${ten.join(' ')} w.`)).rejects.toMatchObject({ code: 'too-large' });
    expect(await pool.tagText(`${ten.join(' ')}`, { maxTokens: 10 })).toMatchObject({});
    await expect(pool.tagText('a b c d', { maxTokens: 3 })).rejects.toMatchObject({
      code: 'too-large',
    });
    expect(await pool.tagMany(Array.from({ length: 16 }, () => ten))).toHaveLength(16);
    await expect(pool.tagMany(Array.from({ length: 17 }, () => ten))).rejects.toThrow(
      /more than 160 tokens/,
    );
    await expect(pool.tagMany(Array.from({ length: 21 }, () => ['w']))).rejects.toThrow(
      /more than 20 sentences/,
    );
  });

  it('leaves what is no text and no tokens to the error that says so', async () => {
    await expect(pool.tagText(7 as never)).rejects.toMatchObject({ code: 'wrong-shape' });
    await expect(pool.tag('a b' as never)).rejects.toMatchObject({ code: 'wrong-shape' });
    await expect(pool.tagMany([undefined as never])).rejects.toMatchObject({ code: 'wrong-shape' });
    await expect(pool.tag(['a'], {}, { signal: 1 as never })).rejects.toThrow(/AbortSignal/);
    await expect(pool.tag(['a'], {}, { timeout: -1 })).rejects.toMatchObject({ code: 'config' });
  });
});

describe('requests of a TaggerPool that are given up', () => {
  const long = 'The dog runs and a dog sits. '.repeat(20_000);
  let pool: TaggerPool;
  beforeAll(async () => {
    pool = await TaggerPool.load(file, { threads: 1, mostPending: 4 });
  });
  afterAll(() => pool.close());

  it('reject with an AbortError, and free their places', async () => {
    const end = new AbortController();
    const running = pool.tagText(long);
    const cancelled = Array.from({ length: 3 }, () => pool.tagText(long, { signal: end.signal }));
    expect(pool.pending).toBe(4);
    await expect(pool.tag(['a'])).rejects.toMatchObject({ code: 'busy' });
    end.abort();
    for (const each of cancelled) await expect(each).rejects.toMatchObject({ name: 'AbortError' });
    expect(pool.pending).toBe(1);
    expect(await pool.tag(['the'])).toHaveLength(1);
    await running;
    await expect(pool.tag(['a'], {}, { signal: end.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('reject while they are at work too, and the next one is answered', async () => {
    const end = new AbortController();
    const running = pool.tagText(long, { signal: end.signal });
    setTimeout(() => end.abort(new Error('the caller hung up')), 5);
    await expect(running).rejects.toThrow('the caller hung up');
    expect(pool.pending).toBe(0);
    expect(await pool.tag(['the'])).toHaveLength(1);
  });

  it('are given up after a time, of the request or of the pool', async () => {
    await expect(pool.tagText(long, { timeout: 2 })).rejects.toThrow(
      'tagging did not finish within 2 ms (send shorter texts or fewer at a time, use more threads, or raise timeout)',
    );
    expect(pool.pending).toBe(0);
    const own = await TaggerPool.load(file, { threads: 1, timeout: 2 });
    await expect(own.tagText(long)).rejects.toMatchObject({ code: 'timeout' });
    expect(await own.tag(['the'], {}, { timeout: 60_000 })).toHaveLength(1);
    await own.close();
  });

  it('are forgotten by a signal that lives on', async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (type: string, listener: EventListener) => {
      listeners.add(listener);
      add(type, listener);
    };
    signal.removeEventListener = (type: string, listener: EventListener) => {
      listeners.delete(listener);
      remove(type, listener);
    };
    await Promise.all([pool.tag(['a'], {}, { signal }), pool.tagText('a b', { signal })]);
    expect(listeners.size).toBe(0);
  });

  it('leave the queue of those that wait for room alone', async () => {
    const end = new AbortController();
    const asked = Array.from({ length: 4 }, () => pool.tagText(long, { signal: end.signal }));
    const room = pool.room();
    end.abort();
    await Promise.allSettled(asked);
    await room;
    expect(await pool.tag(['the'])).toHaveLength(1);
  });
});

describe('TaggerPool.reload', () => {
  const other = join(folder, 'other.model');
  const tagsOf = (path: string) => loadTagger(path).tag(sentences[0]!);

  it('changes the model without a lost request', async () => {
    writeFileSync(other, otherModelBytes());
    expect(tagsOf(other)).not.toEqual(tagsOf(file));
    const pool = await TaggerPool.load(file, { threads: 2, mostPending: 10_000 });
    const answers: Promise<string[]>[] = [];
    const ask = setInterval(() => {
      // No more than may wait, however long the machine takes.
      for (let i = 0; i < 20 && answers.length < 10_000; i += 1)
        answers.push(pool.tag(sentences[0]!));
    }, 1);
    await pool.reload(other);
    clearInterval(ask);
    expect(await pool.tag(sentences[0]!)).toEqual(tagsOf(other));
    const all = await Promise.all(answers);
    expect(all.length).toBeGreaterThan(20);
    const either = [tagsOf(file), tagsOf(other)];
    for (const tags of all) expect(either).toContainEqual(tags);
    await pool.close();
  });

  it('keeps the old model where the new one cannot be read, and reads a replaced file again', async () => {
    const path = join(folder, 'replaced.model');
    writeFileSync(path, new Uint8Array(toyModelBytes()));
    const pool = await TaggerPool.load(path, { threads: 1 });
    writeFileSync(path, 'nothing');
    await expect(pool.reload()).rejects.toMatchObject({ code: 'model-format' });
    await expect(pool.reload(join(folder, 'absent.model'))).rejects.toMatchObject({ code: 'file' });
    expect(await pool.tag(sentences[0]!)).toEqual(tagsOf(file));
    writeFileSync(path, otherModelBytes());
    await Promise.all([pool.reload(), pool.reload()]);
    expect(await pool.tag(sentences[0]!)).toEqual(tagsOf(other));
    const late = pool.reload();
    const last = pool.tag(sentences[0]!);
    await pool.close();
    await late;
    expect(await last).toEqual(tagsOf(other));
    await expect(pool.reload()).rejects.toMatchObject({ code: 'worker' });
  });
});
