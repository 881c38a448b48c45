import { describe, expect, it } from 'vitest';
import { Random } from '../../src/core/random.js';
import { Packer } from '../../src/serve/models/packer.js';
import type { ServedTask, ServedWish } from '../../src/serve/threads/served-task.js';

const wishOf = (key: string, form: ServedWish['form'] = 'records'): ServedWish => ({
  ...{ key, form, options: { output: 'record' }, modelVersion: false, fields: {} },
});
const textOf = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString();
const linesOf = (count: number, length: number) => ({
  bytes: new TextEncoder().encode(
    Array.from({ length: count }, (_, i) => `${String(i).padEnd(length - 1, '.')}\n`).join(''),
  ),
  records: count,
});
const settled = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)));

/** A packer whose threads answer when they are told; blocks come back as they are. */
function packing() {
  const begun: { text: string; key: string; done: () => void }[] = [];
  const long: { text: string; signal: AbortSignal; done: () => void }[] = [];
  const echo = ({ bytes }: ServedTask) => ({ output: bytes.slice(), read: 0, bad: [] });
  const packer = new Packer(
    task =>
      new Promise(resolve => {
        const text = Buffer.from(task.bytes).toString();
        begun.push({ text, key: task.wish.key, done: () => resolve(echo(task)) });
      }),
    1,
    {
      threads: 1,
      tag: (task, signal) =>
        new Promise((resolve, reject) => {
          const text = Buffer.from(task.bytes).toString();
          signal.addEventListener('abort', () => reject(signal.reason));
          long.push({ text, signal, done: () => resolve(echo(task)) });
        }),
    },
  );
  return { packer, begun, long };
}

describe('a packer', () => {
  it('divides a large request into blocks, between which others go', async () => {
    const { packer, begun } = packing();
    const large = linesOf(1000, 100);
    const answer = packer.add({ wish: wishOf('large'), ...large, isStream: false });
    await settled();
    const small = { wish: wishOf('small'), ...linesOf(1, 10), isStream: false };
    const other = packer.add(small);
    begun[0]!.done();
    await settled();
    begun[1]!.done();
    expect(begun.map(({ key }) => key)).toEqual(['large', 'small']);
    expect(textOf((await other).output)).toBe(textOf([small.bytes]));
    for (let i = 2; i < 5; i += 1) {
      await settled();
      begun[i]!.done();
    }
    expect(textOf((await answer).output)).toBe(textOf([large.bytes]));
    expect(Math.max(...begun.map(({ text }) => text.length))).toBeLessThanOrEqual(32_768);
    expect(packer.requests).toBe(0);
  });

  it('makes blocks smaller the more work a token is', async () => {
    const { packer, begun } = packing();
    void packer.add({ wish: wishOf('dear'), ...linesOf(50, 100), weight: 100, isStream: false });
    await settled();
    expect(begun[0]!.text).toHaveLength(300);
  });

  it.each(['gone', 'a part that is refused'])('stops a large request: %s', async how => {
    const { packer, begun } = packing();
    const end = new AbortController();
    const onPart = () => {
      if (how !== 'gone') throw new Error(how);
    };
    const work = { wish: wishOf('large'), ...linesOf(1000, 100), isStream: false, onPart };
    const answer = packer.add(work, end.signal);
    await settled();
    if (how === 'gone') end.abort(new Error(how));
    else begun[0]!.done();
    await expect(answer).rejects.toThrow(how);
    begun[0]!.done();
    await settled();
    expect(begun).toHaveLength(1);
    expect([packer.requests, packer.wait]).toEqual([0, 0]);
  });

  it.each(['records', 'html', 'explanation', 'conll', 'conllu'] as const)(
    'gives a long record to a thread of its own, which ends with its client: %s',
    async form => {
      const { packer, begun, long } = packing();
      const end = new AbortController();
      const work = {
        wish: wishOf('long', form),
        ...linesOf(1, 1000),
        weight: 200,
        isStream: false,
      };
      const first = packer.add(work, end.signal);
      const second = packer.add(work);
      await settled();
      expect(long).toHaveLength(1);
      const small = packer.add({ wish: wishOf('small'), ...linesOf(1, 10), isStream: false });
      await settled();
      begun[0]!.done();
      await small;
      end.abort(new Error('gone'));
      await expect(first).rejects.toThrow('gone');
      expect(long[0]!.signal.aborted).toBe(true);
      await settled();
      long[1]!.done();
      expect(textOf((await second).output)).toBe(textOf([work.bytes]));
    },
  );

  it('does not begin a long record whose client went while others were tagged', async () => {
    const { packer, long } = packing();
    const end = new AbortController();
    const work = { wish: wishOf('long'), ...linesOf(1, 1000), weight: 200, isStream: false };
    const first = packer.add(work);
    const second = packer.add(work, end.signal);
    await settled();
    end.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    long[0]!.done();
    await first;
    await settled();
    expect(long).toHaveLength(1);
  });

  it('takes the oldest request, and later ones with the same wish alone', async () => {
    const random = new Random(9);
    const wishes = [wishOf('a'), wishOf('b'), wishOf('b in columns', 'conll')];
    const begun: { task: ServedTask; done: () => void }[] = [];
    const isBad = (line: string) => line.includes('bad');
    const packer = new Packer(
      task =>
        new Promise(resolve => {
          const lines = Buffer.from(task.bytes).toString().split('\n').slice(0, -1);
          const bad = lines.flatMap((line, i) =>
            isBad(line) ? [{ number: i + 1, error: { message: line } as never }] : [],
          );
          const done = () => resolve({ output: task.bytes.slice(), read: lines.length, bad });
          begun.push({ task, done });
        }),
      1,
      { threads: 1, tag: () => Promise.reject(new Error('no block is long')) },
    );
    let waiting: { wish: ServedWish; text: string }[] = [];
    const answers: Promise<void>[] = [];
    let number = 0;
    const add = () => {
      const wish = wishes[random.below(3)]!;
      const lines = Array.from({ length: 1 + random.below(3) }, () => {
        number += 1;
        const length = random.below(4) === 0 ? 9000 : 10;
        return `${random.below(4) === 0 ? 'bad' : 'good'} ${number} `.padEnd(length, '.');
      });
      const text = lines.map(line => `${line}\n`).join('');
      waiting.push({ wish, text });
      const bytes = new TextEncoder().encode(text);
      const answer = packer.add({ wish, bytes, records: lines.length, isStream: false });
      answers.push(
        answer.then(({ output, bad }) => {
          expect(textOf(output)).toBe(text);
          const expected = lines.flatMap((line, i) => (isBad(line) ? [[i + 1, line]] : []));
          expect(bad.map(each => [each.number, (each.error as Error).message])).toEqual(expected);
        }),
      );
    };
    let together = 0;
    for (let block = 0; block < 150; block += 1) {
      if (begun.length === block) {
        do add();
        while (random.below(3) > 0);
        await settled();
      }
      // A block is at work, made of what waited when it began.
      const [first] = waiting;
      const taken: typeof waiting = [];
      let size = 0;
      for (const each of waiting.filter(({ wish }) => wish === first!.wish)) {
        size += each.text.length;
        if (taken.length > 0 && (size > 32_768 || first!.wish.form !== 'records')) break;
        taken.push(each);
      }
      waiting = waiting.filter(each => !taken.includes(each));
      if (taken.length > 1) together += 1;
      const { task, done } = begun[block]!;
      expect(task.wish).toBe(first!.wish);
      expect(Buffer.from(task.bytes).toString()).toBe(taken.map(({ text }) => text).join(''));
      for (let i = random.below(5); i > 0; i -= 1) add();
      done();
      await settled();
    }
    expect(together).toBeGreaterThan(20);
    for (let block = 150; packer.requests > 0; block += 1) {
      begun[block]?.done();
      await settled();
    }
    await Promise.all(answers);
  });
});
