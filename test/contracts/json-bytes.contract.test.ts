import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { from, lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { convert } from '../../src/runtime/io/convert.js';
import { DeadLetters } from '../../src/runtime/io/dead-letters/dead-letters.js';
import { openOutput } from '../../src/runtime/io/writing/open-output.js';
import { codecOf } from '../../src/runtime/pipeline/catalogue/codec-of.js';
import { BlockTagger } from '../../src/runtime/pipeline/tagging/block-tagger.js';
import { MixedTagger } from '../../src/runtime/pipeline/tagging/mixed-tagger.js';
import { taggingStages } from '../../src/runtime/pipeline/tagging/tagging-stages.js';
import { everyNth } from '../house/long-forms.js';
import { bytesOf, readAll } from '../runtime/io/sources/read-all.js';
import { toyModel, toyModelBytes } from '../runtime/pipeline/tagging/toy-tagger.js';

/** A record as pieces: what a codec may change stands between `head` and `tail`; all other bytes are the user's. */
interface Made {
  readonly head: string;
  readonly own: string;
  readonly tail: string;
  /** Members that are of no format, as they are written, in their order. */
  readonly foreign: readonly string[];
}

const model = toyModel(toyModelBytes());
const options = { output: 'record', decoding: 'viterbi' } as const;

const space = fc.constantFrom('', '', '', ' ', '\t', '  ', '\n', '\r\n ');
const number = fc.constantFrom(
  ...['1.0', '-0', '1e400', '12345678901234567890', '0.10', '1E+2', '-1e-7', '5e-324', '0'],
);
const string = fc
  .array(
    fc.constantFrom(
      ...[
        'a',
        '\\u0041',
        '\\/',
        '/',
        '\\ud83d',
        '\\ud83d\\ude00',
        '😀',
        '\\"',
        '\\\\',
        '\\n',
        '\\u0000',
      ],
      ...['é', '\u2028', '}', ']', ',', ':', '{', '\\b', '\u00a0', 'spans'],
    ),
    { maxLength: 5 },
  )
  .map(parts => `"${parts.join('')}"`);
const key = fc.constantFrom(
  ...[
    'meta',
    'meta',
    'n',
    '__proto__',
    'constructor',
    'toString',
    '',
    '10',
    '2',
    'Spans',
    'é',
    'm\\u0065ta',
  ],
  ...['\\ud800', 'ner_tags', '\\"', 'a.b', 'x[0]', '{}'],
);
const { value } = fc.letrec<{ value: string }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('true', 'false', 'null'),
    number,
    string,
    fc
      .tuple(fc.array(tie('value'), { maxLength: 3 }), space, space)
      .map(([items, a, b]) => `[${a}${items.join(`${a},${b}`)}${b}]`),
    fc
      .tuple(fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }), space, space)
      .map(([members, a, b]) => {
        const texts = members.map(([name, text]) => `"${name}"${b}:${a}${text}`);
        return `{${a}${texts.join(`${b},${a}`)}${b}}`;
      }),
  ),
}));
const foreign = fc
  .tuple(key, space, space, value)
  .map(([name, a, b, text]) => `"${name}"${a}:${b}${text}`);

/** Members that every record of a format has, as they may be written, and the one that a tagger writes. */
interface Format {
  readonly name: string;
  readonly format: string;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Formats that it is converted to; all if absent. */
  readonly targets?: readonly string[];
  readonly base: readonly string[];
  /** Undefined where it comes last. */
  readonly own?: string;
  /** What stands around the object. */
  readonly around?: readonly [string, string];
}

const text = '"the \\u0064og"';
const formats: readonly Format[] = [
  { name: 'NDJSON with tokens', format: 'ndjson', base: ['"tokens":["the", "\\u0064og"]'] },
  { name: 'NDJSON with texts', format: 'ndjson', base: [`"text":${text}`] },
  {
    name: 'NDJSON as Hugging Face exports it',
    format: 'ndjson',
    base: ['"tokens":["the","dog"]', '"ner_tags":[1, 0]', '"langs":["en","en"]'],
  },
  ...[
    {},
    { textField: 'log.message' },
    { into: 'nlp' },
    { textField: 'message', into: 'nlp' },
  ].flatMap(options =>
    [undefined, '"nlp" : {"tags":[ ],"error":{},"mine":1.0}'].map(own => ({
      name: `NDJSON of other programs, ${JSON.stringify(options)}, ${own}`,
      format: 'ndjson',
      options,
      targets: [],
      base: [
        ...('textField' in options ? [] : [`"text":${text}`]),
        `"message" : ${text}`,
        `"log":{"message":${text},"tokens":1e400}`,
        ...['"tags":["app", "login"]', '"gold" :null', '"tokens":17', '"score":0.10'],
        ...['"spans":[{"trace":-0}]', '"offsets":"\\u0041"', '"sentences":{}', '"columns":[1.0]'],
      ],
      ...(own === undefined ? {} : { own }),
    })),
  ),
  { name: 'spans', format: 'spans', base: [`"text":${text}`], own: '"spans":[ ]' },
  { name: 'spans without labels', format: 'spans', base: [`"text":${text}`] },
  { name: 'doccano', format: 'doccano', base: [`"text":${text}`], own: '"label" : [[0, 3,"D"]]' },
  {
    name: 'doccano, labels',
    format: 'doccano',
    base: [`"text":${text}`],
    own: '"labels":[[0, 3,"D"]]',
  },
  {
    name: 'doccano, entities',
    format: 'doccano',
    base: [`"data":${text}`, '"relations":[ ]'],
    own: '"entities":[{"id":1.0,"start_offset":0,"end_offset":3,"label":"X"}]',
  },
  { name: 'spaCy', format: 'spacy', base: [`"text":${text}`], own: '"entities":[[0,3,"D"] ]' },
  {
    name: 'spaCy, doc.to_json()',
    format: 'spacy',
    base: [`"text":${text}`, '"sents":[{"start":0,"end":7}]'],
    own: '"ents":[{"start":0,"end":3,"label":"D"}]',
  },
  {
    name: 'spaCy, pairs',
    format: 'spacy',
    base: ['"cats":{"A":1.0}'],
    own: '"entities":[]',
    around: [`[${text} ,`, ' ]'],
  },
  {
    name: 'Prodigy',
    format: 'prodigy',
    base: [
      `"text":${text}`,
      '"tokens":[{"text":"the","start":0,"end":3,"id":0,"ws":true},{"start":4,"end":7,"x":1.0}]',
      '"answer":"\\u0061ccept"',
    ],
    own: '"spans":[{"start":0,"end":3,"label":"D","pattern":-0}]',
  },
  {
    name: 'Label Studio',
    format: 'label-studio',
    base: [
      `"data":{"text":${text},"n":1.0}`,
      '"annotations":[{"id":7.0,"result":[{"value":{"start":0,"end":3,"text":"the","labels":["D"]}}]}]',
    ],
    own: '"predictions" : []',
  },
  {
    name: 'Label Studio, short',
    format: 'label-studio',
    base: [`"text":${text}`, '"label":[{"start":0,"end":3,"labels":["D"],"score":0.10}]'],
  },
];

function madeOf({ base, own, around = ['', ''] }: Format): fc.Arbitrary<Made> {
  const members = fc
    .tuple(fc.array(foreign, { maxLength: 4 }), fc.constantFrom('"id":7.0', '"id":"\\u0041"', ''))
    .chain(([others, id]) => {
      const users = [...others, ...(id === '' ? [] : [id])];
      const all = [...base, ...users, ...(own === undefined ? [] : [own])];
      return fc.tuple(
        fc.shuffledSubarray(all, { minLength: all.length }),
        fc.array(space, { minLength: 2 * all.length + 2, maxLength: 2 * all.length + 2 }),
        fc.constant(new Set(users)),
      );
    });
  return members.map(([all, spaces, users]) => {
    let head = `${around[0]}{${spaces[0]}`;
    let tail = '';
    let changed = '';
    for (const [i, member] of all.entries()) {
      const before = `${i === 0 ? '' : `${spaces[2 * i]},`}${i === 0 ? '' : spaces[2 * i + 1]}`;
      if (member === own) {
        head += before;
        changed = member;
      } else if (changed === '') {
        head += before + member;
      } else {
        tail += before + member;
      }
    }
    return {
      head,
      own: changed,
      tail: `${tail}${spaces.at(-1)}}${around[1]}`,
      foreign: all.filter(member => users.has(member)),
    };
  });
}

/** How bytes of a record come out of lines and of a JSON array: line ends between members are blanks. */
const inLine = (json: string) => json.replaceAll(/[\r\n]/g, ' ');

/** Everything before and after the member that is ours. */
function expectBytes(made: Made, line: string, tagged: boolean): void {
  const [head, tail] = [inLine(made.head), inLine(made.tail)];
  const isKept = line.startsWith(head) && line.endsWith(tail);
  if (!isKept || line.length < head.length + tail.length) expect(line).toBe(head + made.own + tail);
  JSON.parse(line);
  if (tagged) expect(line.length).toBeGreaterThan(head.length + tail.length + 1);
}

/** All of these, as they are written, one after the other. */
function expectMembers(made: Made, line: string): void {
  let at = 0;
  for (const member of made.foreign) {
    const found = line.indexOf(inLine(member), at);
    if (found < 0) expect(line).toContain(inLine(member));
    at = found + member.length;
  }
  JSON.parse(line);
}

const raw = ({ head, own, tail }: Made) => head + own + tail;

async function inBlocks(
  { format, options: chosen = {} }: Format,
  input: string,
  mixed: boolean,
): Promise<string[]> {
  const choice = { name: format, options: chosen };
  const tagger = mixed
    ? new MixedTagger(model, choice, options)
    : new BlockTagger(model, codecOf(choice), options);
  const block = { bytes: new Uint8Array(bytesOf(input)), offset: 0, line: 1 };
  const { output, bad } = await tagger.tag({ source: 'x', block });
  expect(bad).toEqual([]);
  return Buffer.from(output).toString().split('\n').slice(0, -1);
}

async function recordByRecord(
  { format, options: chosen = {} }: Format,
  input: string,
): Promise<string[]> {
  const plain = codecOf({ name: format, options: chosen });
  const codec = plain.forTagging?.() ?? plain;
  const { documents, bad } = await readAll(codec, input);
  expect(bad).toEqual([]);
  const stages = taggingStages(model, options, { sentences: 32 });
  const tagged = await lastValueFrom(from(documents).pipe(stages, toArray()));
  return tagged.map(one => codec.write(one).slice(0, -1));
}

async function converted(from: string, to: string, input: string): Promise<string[]> {
  const stdin = new PassThrough();
  stdin.end(input);
  const stdout = new PassThrough();
  const all = stdout.toArray();
  const deadLetters = new DeadLetters({ policy: 'fail' });
  await convert({
    ...{ files: ['-'], stdin, deadLetters, exact: true },
    from: codecOf({ name: from, options: {} }),
    to: codecOf({ name: to, options: {} }),
    output: await openOutput('-', { stdout }),
  });
  stdout.end();
  const text = Buffer.concat(await all).toString();
  const lines = text.split('\n').filter(line => line !== '' && line !== '[' && line !== ']');
  return lines.map(line => line.replace(/^,/, ''));
}

/** Records in all, over all formats. */
const count = 10_000;
const perFormat = Math.ceil(count / formats.length);
const targets = ['ndjson', 'spans', 'doccano', 'spacy', 'prodigy', 'label-studio'];

describe.each(formats)('every byte that is not ours stays: $name', format => {
  const records = fc.sample(madeOf(format), { seed: 42, numRuns: perFormat });
  const lines = `${records.map(made => inLine(raw(made))).join('\n')}\n`;
  const array = `[${records.map(raw).join(' ,\n')}]\n`;

  it('through tag, record by record', { timeout: 0 }, async () => {
    const tagged = await recordByRecord(format, lines);
    expect(tagged).toHaveLength(records.length);
    for (const [i, made] of records.entries()) expectBytes(made, tagged[i]!.trim(), true);
  });

  it('through tag, in blocks, plain records and others', { timeout: 0 }, async () => {
    for (const mixed of [false, true]) {
      const tagged = await inBlocks(format, lines, mixed);
      expect(tagged).toHaveLength(records.length);
      for (const [i, made] of records.entries()) expectBytes(made, tagged[i]!.trim(), true);
    }
  });

  const to = format.targets ?? targets;
  for (const { rows, tags } of everyNth(3, to))
    it.each(rows)('through convert to %s, from a JSON array', { timeout: 0, tags }, async to => {
      const found = await converted(format.format, to, array);
      expect(found).toHaveLength(records.length);
      for (const [i, made] of records.entries()) {
        if (to === format.format) expectBytes(made, found[i]!.trim(), false);
        else expectMembers(made, found[i]!);
      }
    });

  it.runIf(to.length > 0)(
    'through convert to the same format, from lines',
    { timeout: 0 },
    async () => {
      const found = await converted(format.format, format.format, lines);
      expect(found).toHaveLength(records.length);
      for (const [i, made] of records.entries()) expectBytes(made, found[i]!.trim(), false);
    },
  );
});
