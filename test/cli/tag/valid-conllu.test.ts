import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { from, lastValueFrom, toArray } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TaggedDocument } from '../../../src/engine/core/sentence/tagged-document.js';
import { Tagger } from '../../../src/engine/models/tagger.js';
import { assemble } from '../../../src/engine/operators/assemble.js';
import { batch } from '../../../src/engine/operators/batch.js';
import { featurize } from '../../../src/engine/operators/featurize.js';
import { tag } from '../../../src/engine/operators/tag.js';
import { tokenize } from '../../../src/engine/operators/tokenize.js';
import { conlluCodec } from '../../../src/formats/codecs/conllu/conllu-codec.js';
import { RawText } from '../../../src/formats/codecs/conllu/raw-text.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { readRecord } from '../../../src/formats/codecs/ndjson/read-record.js';
import { smallTreebank } from '../../engine/text/characters/small-treebank.js';
import { isNightly, testSeed } from '../../house/long-forms.js';
import { trainHere } from '../commands/train-here.js';
import { workspace } from '../commands/workspace.js';

/** Texts of all scripts, and how many of them a block has. */
const [most, block] = [200_000, 500];
const blocks = isNightly ? most / block : 2;
const first = isNightly ? 0 : testSeed % (most / block - 1);

const folder = workspace();
let model: Tagger['model'];

beforeAll(async () => {
  // `au` is `à` and `le`, which the small treebank does not have.
  const sentence = ['1\tBen', '2\tgoes', '3-4\tau', '3\tà', '4\tle', '5\tcat', '6\t.']
    .map(
      (row, i) =>
        `${row}\t_\t${i === 2 ? '_' : 'X'}\t_\t_\t_\t_\t_\t${i === 5 ? 'SpaceAfter=No' : '_'}\n`,
    )
    .join('');
  writeFileSync(join(folder, 'train.conllu'), smallTreebank(80, 5) + `${sentence}\n`.repeat(20));
  writeFileSync(
    join(folder, 'p.yaml'),
    `version: 1
name: p
source: { conllu: { files: [train.conllu] } }
stages:
  - tokenize: { tokenizer: learned }
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1 } }
train: { epochs: 2 }
model: p.model
`,
  );
  await trainHere(join(folder, 'p.yaml'));
  model = Tagger.fromBytes(readFileSync(join(folder, 'p.model'))).model;
});

const known = [
  'Ben',
  'goes',
  'au',
  "doesn't",
  'the',
  'cat',
  'Dr.',
  'Low',
  '3,5',
  'U.S.',
  'likes',
  '.',
  '!',
  '?',
  ',',
  '"',
];
const scripts = [
  ...[
    'Ångström',
    'Ελλάδα',
    'Привет',
    'שלום',
    'مرحبا',
    'नमस्ते',
    'สวัสดี',
    '漢字かな',
    '한국어',
    '𝒳𝔜',
    'e\u0301a\u0308',
  ],
  ...[
    '👩‍👩‍👧',
    '🇫🇷',
    '1️⃣',
    '#tag',
    'www.a.de',
    '\ud800',
    '\u200b',
    '\ufeff',
    '\u0000',
    '\u0007',
    '|',
    '=',
    '_',
    '\\',
    '# text = x',
  ],
];
const spaces = [
  ' ',
  ' ',
  ' ',
  '',
  '  ',
  '\t',
  '\n',
  '\n\n',
  '\r\n',
  '\u00a0',
  '\u3000',
  '\u2028',
  '\u0085',
  '\v',
];
const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...known) },
  { weight: 3, arbitrary: fc.constantFrom(...scripts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
);
const texts = fc
  .array(fc.tuple(piece, fc.constantFrom(...spaces)), { maxLength: 14 })
  .map(parts => parts.flat().join(''));

async function tagged(block: readonly string[]): Promise<TaggedDocument[]> {
  const documents = block.map((text, i) => ({
    id: `t${i}`,
    text,
    raw: JSON.stringify({ id: `t${i}`, text }),
    format: 'ndjson {}',
  }));
  const steps = from(documents).pipe(
    tokenize({ tokenizer: model.tokenizer!.tokenizer }),
    featurize(model),
    batch({ sentences: 64 }),
    tag(model),
    assemble(),
  );
  return lastValueFrom(steps.pipe(toArray()));
}

/** What the validator of Universal Dependencies asks of a file (levels 1 and 2), as far as what is written here can break it. */
function faultsOf(written: string, ids: Set<string>): string[] {
  const faults: string[] = [];
  const check = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  check(
    written.endsWith('\n\n') && !written.includes('\n\n\n'),
    'sentences end with one empty line',
  );
  check(!written.includes('\r'), 'no carriage return');
  for (const sentence of written.slice(0, -2).split('\n\n')) {
    const lines = sentence.split('\n');
    const rows = lines
      .filter(line => !line.startsWith('#') || /^#[^ ]*\t/.test(line))
      .map(line => line.split('\t'));
    const comments = lines.slice(0, lines.length - rows.length);
    check(
      comments.every(line => line.startsWith('# ')),
      'comments come first',
    );
    const only = (name: string) => {
      const values = comments
        .filter(line => line.startsWith(`# ${name} = `))
        .map(line => line.slice(name.length + 5));
      check(values.length === 1, `one ${name}`);
      return values[0] ?? '';
    };
    const [id, text] = [only('sent_id'), only('text')];
    check(!ids.has(id), `sent_id ${id} is the only one`);
    ids.add(id);
    check(text === text.trim() && text !== '', 'text without space at its ends');
    let [next, until, whole] = [1, 0, ''];
    for (const cells of rows) {
      check(cells.length === 10, 'ten columns');
      check(
        cells.every(cell => cell !== '' && !/^\s|\s$|\s\s/.test(cell)),
        'no empty cell, no space at its ends',
      );
      const [place = '', form = '', , , , , , , , misc = ''] = cells;
      const features = misc.split('|').map(each => each.split('=')[0]);
      check(new Set(features).size === features.length, 'each attribute of MISC once');
      const range = /^(\d+)-(\d+)$/.exec(place);
      if (range !== null) {
        check(
          Number(range[1]) === next && Number(range[2]) > next && until < next,
          'a range before its words',
        );
        check(
          cells.slice(2, 9).every(cell => cell === '_'),
          'a range has a form alone',
        );
        until = Number(range[2]);
      } else {
        check(place === String(next), 'words are numbered from 1');
        if (next <= until) check(misc === '_', 'no space after a word inside of a token');
        next += 1;
      }
      if (range !== null || next - 1 > until)
        whole += form + (features.includes('SpaceAfter') ? '' : ' ');
    }
    check(until < next, 'a range has all its words');
    check(whole.trimEnd() === text, `text is its tokens: ${JSON.stringify([whole, text])}`);
  }
  return faults;
}

describe('CoNLL-U of raw text', () => {
  it(`is valid, reads back, and says the same as NDJSON, for ${blocks * block} texts`, async () => {
    const [conllu, ndjson] = [conlluCodec(), ndjsonCodec()];
    let ranges = 0;
    for (let b = first; b < first + blocks; b += 1) {
      const drawn = fc.sample(texts, { seed: b, numRuns: block });
      const ids = new Set<string>();
      for (const [i, found] of (await tagged(drawn)).entries()) {
        const text = drawn[i]!;
        const { tokens, offsets, sentences = [[0, tokens.length]], multiword = [] } = found;
        const shown = JSON.stringify({ text, tokens });
        const inToken = (t: number) => multiword.find(([start, end]) => t >= start && t < end);
        for (const [t, token] of tokens.entries()) {
          const [start, end] = offsets![t]!;
          if (inToken(t) === undefined) expect(text.slice(start, end), shown).toBe(token);
        }
        ranges += multiword.length;
        // NDJSON says it all, and reads back.
        const line = ndjson.write(found);
        const again = readRecord(line);
        expect(again, shown).toMatchObject({ tokens, offsets });
        expect(again.multiword ?? [], shown).toEqual(multiword);
        for (const { start, end, ...word } of (JSON.parse(line).words ?? []) as Word[]) {
          expect(text.slice(...word.offsets)).toBe(word.text);
          expect(word.offsets).toEqual([offsets![start]![0], offsets![end - 1]![1]]);
        }
        if (tokens.length === 0) continue;
        const written = conllu.write(
          { ...found, document: { id: `t${i}`, text } },
          { ofText: true },
        );
        expect(faultsOf(written, ids), shown).toEqual([]);
        expect(textIn(written), shown).toBe(text);
        const rows = written.split('\n').filter(row => /^\d+\t/.test(row));
        expect(rows, shown).toHaveLength(tokens.length);
        expect(written.match(/^# text = /gm), shown).toHaveLength(sentences.length);
      }
    }
    expect(ranges).toBeGreaterThan(blocks * 10);
  });
});

/** The text that the lines of CoNLL-U were written of. */
function textIn(written: string): string {
  const all = new RawText();
  for (const raw of written.slice(0, -2).split('\n\n')) all.add({ raw, format: 'conllu upos' });
  return all.gold.text;
}

interface Word {
  readonly start: number;
  readonly end: number;
  readonly offsets: readonly [number, number];
  readonly text: string;
}
