import type { Random } from '../../../src/engine/core/random.js';

/** A line of an NDJSON file, good or bad, with its line end. */
export interface MadeLine {
  readonly bytes: Buffer;
  /** Only of a good record: its members that are not ours, as written. */
  readonly foreign?: readonly string[];
}

const spaces = ['', '', '', '', ' ', '\t', '  ', ' \r'];
const texts = [
  'a',
  'b c',
  '\\u00e9',
  'é',
  '\\ud83d\\ude00',
  '😀',
  '\\ud800',
  '\\"',
  '\\\\',
  '\\n',
  '\u2028',
];
const numbers = ['0', '-0', '1.0', '1e400', '12345678901234567890', '0.1e-7', '-1E+2'];
const strangeKeys = [
  'x',
  'y',
  '__proto__',
  'constructor',
  '',
  'Tags',
  'meta',
  '\\u0078',
  'é',
  '\\"',
];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

/** The line number `index` of an endless file. */
export function randomLine(random: Random, index: number): MadeLine {
  const end = pick(random, ['\n', '\n', '\n', '\r\n']);
  const kind = random.below(20);
  if (kind === 0) return { bytes: Buffer.from(pick(random, ['', ' ', '\t ', ' \r']) + end) };
  if (kind === 1) return { bytes: Buffer.from(randomValue(random, 0) + end) };
  if (kind === 2) return { bytes: Buffer.from(wrongRecord(random, index) + end) };
  const foreign: string[] = [];
  const record = Buffer.from(goodRecord(random, index, foreign));
  if (kind < 12) return { bytes: Buffer.concat([record, Buffer.from(end)]), foreign };
  return { bytes: Buffer.concat([damaged(random, record), Buffer.from(end)]) };
}

function randomString(random: Random): string {
  let text = '';
  for (let n = random.below(4); n >= 0; n -= 1) text += pick(random, texts);
  return `"${text}"`;
}

function randomValue(random: Random, depth: number): string {
  const kind = random.below(depth > 3 ? 4 : 6);
  if (kind === 0) return pick(random, ['true', 'false', 'null']);
  if (kind === 1) return pick(random, numbers);
  if (kind < 4) return randomString(random);
  const items = Array.from({ length: random.below(4) }, () => randomValue(random, depth + 1));
  const between = `${pick(random, spaces)},${pick(random, spaces)}`;
  if (kind === 4) return `[${items.join(between)}]`;
  return `{${items.map(item => `"${pick(random, strangeKeys)}":${item}`).join(between)}}`;
}

function goodRecord(random: Random, index: number, foreign: string[]): string {
  const count = 1 + random.below(5);
  const list = (item: () => string) => `[${Array.from({ length: count }, item).join(',')}]`;
  const colon = () => `${pick(random, spaces)}:${pick(random, spaces)}`;
  const members: { text: string; foreign: boolean }[] = [];
  const add = (key: string, value: string, isForeign: boolean) =>
    members.push({ text: `"${key}"${colon()}${value}`, foreign: isForeign });
  add('id', String(index), true);
  if (random.below(2) === 0) {
    add('text', `"w${index} ${randomString(random).slice(1)}`, true);
  } else {
    add(
      'tokens',
      list(() => randomString(random)),
      false,
    );
    if (random.below(2) === 0)
      add(
        'tags',
        list(() => pick(random, ['"O"', '"B"'])),
        false,
      );
    if (random.below(4) === 0)
      add(
        'gold',
        list(() => '"G"'),
        false,
      );
    if (random.below(3) === 0) {
      const strings = list(() => randomString(random));
      const reals = list(() => pick(random, ['1.0', '-2.50', '0']));
      add('columns', `{"p":${strings}${pick(random, spaces)},"q":${reals}}`, true);
    }
  }
  for (const name of ['spans', 'score', 'marginals', 'nbest']) {
    if (random.below(8) === 0) add(name, randomValue(random, 1), false);
  }
  for (let n = random.below(4); n > 0; n -= 1) {
    add(pick(random, strangeKeys), randomValue(random, 0), true);
  }
  const order = random.shuffle(Uint32Array.from(members, (_, i) => i));
  const shuffled = Array.from(order, rank => members[rank]!);
  for (const member of shuffled) if (member.foreign) foreign.push(member.text);
  const between = () => `${pick(random, spaces)},${pick(random, spaces)}`;
  let text = `${pick(random, spaces)}{${pick(random, spaces)}`;
  for (const [i, member] of shuffled.entries()) text += (i > 0 ? between() : '') + member.text;
  return `${text}${pick(random, spaces)}}${pick(random, spaces)}`;
}

function wrongRecord(random: Random, index: number): string {
  const id = `"id":${index}`;
  return pick(random, [
    `{${id}}`,
    `{${id},"text":" "}`,
    `{${id},"tokens":[]}`,
    `{${id},"tokens":["a"],"tags":[]}`,
    `{${id},"tokens":["a"],"columns":{"x":["y","z"]}}`,
    `{${id},"tokens":["a","b"],"columns":{"x":["y",1]}}`,
    `{${id},"tokens":["a"],"columns":{"x":[1e400]}}`,
    `{${id},"text":"${'long '.repeat(500)}"}`,
    `{${id},"text":7}`,
    '',
  ]);
}

/** A record with some bytes changed, removed or repeated. */
function damaged(random: Random, record: Buffer): Buffer {
  const bytes = Buffer.from(record);
  const at = random.below(bytes.length);
  switch (random.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(5))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(at + 1))]);
    default:
      for (let n = random.below(3); n >= 0; n -= 1) {
        // Any byte but a line end, so that the line stays one.
        const byte = random.below(255);
        bytes[random.below(bytes.length)] = byte === 10 ? 255 : byte;
      }
      return bytes;
  }
}
