import { describe, expect, it } from 'vitest';
import type { Position } from '../../../../../src/engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../../../src/engine/core/errors.js';
import { RunStatus } from '../../../../../src/engine/core/run-status.js';
import type { Message } from '../../../../../src/engine/interfaces/messages.js';
import { DeadLetters } from '../../../../../src/runtime/io/dead-letters/dead-letters.js';
import { messageSource } from '../../../../../src/runtime/io/transports/message-source.js';
import { codecOf } from '../../../../../src/runtime/pipeline/catalogue/codec-of.js';
import { groupsOf } from '../../../../../src/runtime/pipeline/tagging/messages/joined-messages.js';
import { tagMessages } from '../../../../../src/runtime/pipeline/tagging/messages/tag-messages.js';
import { MixedTagger } from '../../../../../src/runtime/pipeline/tagging/mixed-tagger.js';
import { toyModel, toyModelBytes } from '../toy-tagger.js';

const choice = { name: 'ndjson', options: {} };
const codec = codecOf(choice);
const model = toyModel(toyModelBytes());
const good = (id: number) => `{"id": "${id}", "tokens": ["the", "dog", "é", "runs"]}`;

interface Given {
  readonly joins: boolean;
  readonly together?: boolean;
  /** Bytes of a result that the place takes. */
  readonly most?: number;
  readonly policy?: 'skip' | 'fail';
}

/** All that comes of messages: what is sent from where, what is rejected, acknowledged and counted, and how it ends. */
async function outcome(messages: readonly (string | Uint8Array)[], given: Given) {
  const { joins, together = false, most = Number.POSITIVE_INFINITY, policy = 'skip' } = given;
  const sent: [result: string, position: Position][] = [];
  const acknowledged: number[] = [];
  const rejected: unknown[] = [];
  const blocks: number[] = [];
  const deadLetters = new DeadLetters({ policy });
  const add = deadLetters.add.bind(deadLetters);
  deadLetters.add = (bad, number) => {
    rejected.push([bad.position, Buffer.from(bad.raw).toString(), bad.error.message, number]);
    add(bad, number);
  };
  const some: Message[] = messages.map((bytes, cursor) => ({
    ...{ bytes, cursor, ack: () => void acknowledged.push(cursor) },
    rejected: bytes === 'tried too often' ? new TagstreamError('quarantined', 'enough') : undefined,
  }));
  const transport = messageSource({ name: 'place', read: () => [some] });
  const tagger = new MixedTagger(model, choice, { output: 'record' });
  const status = new RunStatus();
  let blank = 0;
  const end = await tagMessages({
    ...{ transport: { openSome: transport.openSome! }, codec, together, deadLetters, status },
    ...{ joins: () => joins, budget: 1_000, signal: new AbortController().signal },
    tag: task => {
      blocks.push(task.block.bytes.length);
      return tagger.tag(task);
    },
    onWritten: tagged => tagger.reuse(tagged),
    onBlank: lines => {
      blank += lines;
    },
    writer: {
      send: () => Promise.reject(new Error('not by records')),
      async sendPiece(bytes, position) {
        if (bytes.length > most) throw new TagstreamError('too-large', 'the result is too large');
        sent.push([Buffer.from(bytes).toString(), position]);
      },
    },
  }).catch((error: unknown) => String(error));
  const { recordsIn, recordsOut } = status;
  // Each when it is stored, and one that is too large later: messages keep no order.
  acknowledged.sort((a, b) => a - b);
  const place = ({ cursor, start }: Position) => (cursor as number) * 1_000 + start;
  sent.sort(([, a], [, b]) => place(a) - place(b));
  return { blocks, all: { sent, rejected, acknowledged, end, blank, recordsIn, recordsOut } };
}

const odd: readonly (string | Uint8Array)[] = [
  good(1),
  `${good(2)}\n`,
  `${good(3)}\n\n${good(4)}\r\n  \n`,
  '',
  '\n',
  ' ',
  `\uFEFF${good(5)}`,
  `\uFEFF${good(12)}\n\uFEFF\n\uFEFF\uFEFF${good(13)}`,
  '\uFEFF\n',
  '{"tokens": ["dog"], "unfinished',
  `${good(6)}\nnull\n${good(7)}`,
  '{"tok\\u0065ns": ["\\u0061", "dog"]}',
  Buffer.from([0x7b, 0xff, 0x7d]),
  good(8),
  'tried too often',
  '{"text": "the dog runs"}',
  `${good(9)}\n${good(10)}`,
  good(11),
];

describe('messages that are tagged in one block', () => {
  it('give what each of them gives by itself', async () => {
    const alone = await outcome(odd, { joins: false });
    const joined = await outcome(odd, { joins: true });
    expect(joined.all).toEqual(alone.all);
    expect(alone.all.sent).toHaveLength(15);
    expect(alone.all.rejected).toHaveLength(4);
    expect(alone.all.acknowledged).toHaveLength(odd.length);
    expect(joined.blocks.length).toBeLessThan(alone.blocks.length);
  });

  it('are sent together, and in parts where that is too large', { tags: 'slow' }, async () => {
    for (const most of [100_000, 300, 120]) {
      const alone = await outcome(odd, { joins: false, together: true, most });
      const joined = await outcome(odd, { joins: true, together: true, most });
      expect(joined.all).toEqual(alone.all);
    }
  });

  it('end with the first bad record where one ends the run', async () => {
    const alone = await outcome(odd, { joins: false, policy: 'fail' });
    const joined = await outcome(odd, { joins: true, policy: 'fail' });
    expect(joined.all).toEqual(alone.all);
    expect(joined.all.end).toContain('place#9');
  });

  it('make one block of what comes at a time, up to 64 kB', { tags: 'slow' }, async () => {
    const many = Array.from({ length: 3_000 }, (_, i) => good(i));
    const { blocks, all } = await outcome(many, { joins: true });
    expect(all.sent.map(([result]) => (JSON.parse(result) as { id: string }).id)).toEqual(
      many.map((_, i) => `${i}`),
    );
    expect(blocks.length).toBe(3);
    expect(Math.max(...blocks)).toBeLessThanOrEqual(65_536);
  });

  it('stay apart where one is large or rejected', () => {
    const sized = (length: number) => ({ bytes: new Uint8Array(length), rejected: undefined });
    const rejected = { bytes: Buffer.from('a'), rejected: new TagstreamError('stage', 'no') };
    const lengths = (...given: Parameters<typeof groupsOf>[0]) =>
      [...groupsOf(given)].map(group => group.length);
    expect(lengths()).toEqual([]);
    expect(lengths(sized(70_000), sized(1), sized(1))).toEqual([1, 2]);
    expect(lengths(sized(1), rejected, sized(1))).toEqual([1, 1, 1]);
  });
});
