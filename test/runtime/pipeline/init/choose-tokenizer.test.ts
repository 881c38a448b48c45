import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { namedTokenizer } from '../../../../src/engine/text/tokenizers/named-tokenizer.js';
import { chooseTokenizer } from '../../../../src/runtime/pipeline/init/choose-tokenizer.js';
import {
  type InitOptions,
  initPipeline,
} from '../../../../src/runtime/pipeline/init/init-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { everyNth } from '../../../house/long-forms.js';

const folder = workspace();

async function made(
  name: string,
  content: string | Uint8Array,
  options: Partial<InitOptions> = {},
) {
  const file = join(folder, name);
  writeFileSync(file, content);
  const result = await initPipeline({ file, out: join(folder, 'made.yaml'), ...options });
  return {
    ...result,
    stage: /- tokenize: (.*)/.exec(result.text)![1],
    line: result.reasons.find(reason => reason.startsWith('tokenizer ')),
  };
}

/** Words of Chinese, which are two letters each, with what they are. */
const words = [
  ['北京', 'PROPN', 'B-LOC'],
  ['喜欢', 'VERB', 'O'],
  ['上海', 'PROPN', 'B-LOC'],
  ['。', 'PUNCT', 'O'],
] as const;
const tokens = words.map(([word]) => word);
const text = tokens.join('');
const upos = words.map(([, tag]) => tag);
const offsets = [0, 2, 4, 6].map((start, i) => [start, start + tokens[i]!.length] as const);
const places = offsets.filter((_, i) => i % 2 === 0);
const spans = places.map(([start, end]) => ({ start, end, label: 'LOC' }));
const lines = (record: unknown, count = 30) => `${JSON.stringify(record)}\n`.repeat(count);

const row = (id: number | string, form: string, tag: string, misc = '_') =>
  [id, form, '_', tag, '_', '_', '_', '_', '_', misc].join('\t');
const rows = (misc?: string) =>
  words.map(([form, tag], i) => row(i + 1, form, tag, misc)).join('\n');

/** Files in which the text is known, and of which tokens or spans. */
const files: Readonly<Record<string, readonly [content: string, of: 'tokens' | 'spans']>> = {
  'ndjson with offsets': [lines({ text, tokens, offsets, tags: upos }), 'tokens'],
  'ndjson with a text': [lines({ text, tokens, tags: upos }), 'tokens'],
  'ndjson with missing spaces': [
    lines({ tokens, tags: upos, columns: { misc: tokens.map(() => 'SpaceAfter=No') } }),
    'tokens',
  ],
  'conllu with a text': [`# text = ${text}\n${rows()}\n\n`.repeat(30), 'tokens'],
  'conllu with missing spaces': [`${rows('SpaceAfter=No')}\n\n`.repeat(30), 'tokens'],
  prodigy: [
    lines({
      text,
      tokens: offsets.map(([start, end], id) => ({ text: tokens[id], start, end, id })),
      spans,
      answer: 'accept',
    }),
    'tokens',
  ],
  'prodigy without tokens': [lines({ text, spans, answer: 'accept' }), 'spans'],
  spans: [lines({ text, spans }), 'spans'],
  'spans in an array': [JSON.stringify(Array(30).fill({ text, spans })), 'spans'],
  doccano: [lines({ text, label: places.map(place => [...place, 'LOC']) }), 'spans'],
  spacy: [lines({ text, entities: places.map(place => [...place, 'LOC']) }), 'spans'],
  'label studio': [
    JSON.stringify(
      Array(30).fill({
        data: { text },
        annotations: [
          {
            result: places.map(([start, end], i) => ({
              id: String(i),
              from_name: 'label',
              to_name: 'text',
              type: 'labels',
              value: { start, end, text: text.slice(start, end), labels: ['LOC'] },
            })),
          },
        ],
      }),
    ),
    'spans',
  ],
};

describe('init chooses the tokenizer', () => {
  for (const { rows, tags } of everyNth(4, Object.entries(files))) {
    it.each(rows)('of %s', { tags }, async (name, [content, of]) => {
      const result = await made(name, content);
      const { stage, line, text: yaml, recipe, textWith, warnings, records, tokenizer } = result;
      const share = of === 'tokens' ? '100 % of the tokens' : 'its tokens fit 100 % of the spans';
      expect(line).toContain(`tokenizer unicode: ${share} of the file`);
      expect(line).toMatch(/, regex [\d.]+/);
      expect(yaml).toContain(`\n  # ${line!.replace('tokenizer ', '')}.\n`);
      expect(stage).toBe('{ tokenizer: unicode }');
      expect(textWith(recipe, 'first')).toContain('- tokenize: { tokenizer: unicode }');
      expect({ tokenizer, records, warnings }).toEqual({
        ...{ tokenizer: 'unicode', records: 30, warnings: [] },
      });
    });
  }

  it('and counts the records of a large file, and of a test file, by it', {
    tags: 'slow',
  }, async () => {
    const test = join(folder, 'test.ndjson');
    writeFileSync(test, lines({ text: `${text}北京。`, spans }, 3));
    const large = gzipSync(lines({ text, spans }, 12_000));
    const { reasons, warnings, records } = await made('large.gz', large, { test });
    expect({ records, warnings }).toEqual({ records: 12_000, warnings: [] });
    expect(reasons).toContain('12,000 labelled records, 48,000 tokens, 2 labels');
  });

  it('and takes the default where no other is better by more than 0.1 points', {
    tags: 'slow',
  }, async () => {
    const english = 'Ann saw Oslo, and left.';
    const found = namedTokenizer({ tokenizer: 'regex', locale: 'en' })(english);
    const record = {
      text: english,
      tokens: found.map(([start, end]) => english.slice(start, end)),
      tags: found.map(() => 'X'),
    };
    const { stage, line } = await made('english', lines({ ...record, offsets: found }));
    expect(stage).toBe('{}');
    expect(line).toBe(
      'tokenizer regex: 100 % of the tokens of the file (F1), treebank 100, unicode 100, whitespace 50',
    );
    const one: Document = { text: 'e-mail', tokens: ['e', '-', 'mail'] };
    const rest: Document[] = Array.from({ length: 1999 }, () => ({
      text: 'a b',
      tokens: ['a', 'b'],
    }));
    expect(chooseTokenizer([one, ...rest])).toMatchObject({ name: 'regex', isDefault: true });
    expect(chooseTokenizer([one, one, one, ...rest])).toMatchObject({ name: 'unicode' });
    // Records after the first 2,000 do not count.
    expect(chooseTokenizer([...rest, ...Array(2000).fill(one)])).toMatchObject({ name: 'regex' });
  });

  it.each([
    ['columns', 'Ann NNP B-PER\nran VBD O\n. . O\n\n'.repeat(30)],
    ['conllu', `${rows()}\n\n`.repeat(30)],
    ['conllu with another text', `# text = 你好\n${rows()}\n\n`.repeat(30)],
    ['ndjson', lines({ tokens, tags: upos })],
    ['ndjson with another text', lines({ text: '你好', tokens, tags: upos })],
    ['ndjson with more text', lines({ text: `${text}你好`, tokens, tags: upos })],
    ['ndjson with other columns', lines({ tokens, tags: upos, columns: { misc: [1, 2, 3, 4] } })],
    ['words with tags', 'Ann/NNP ran/VBD ./.\n'.repeat(30)],
  ])('and says nothing of it where no text is known: %s', async (name, content) => {
    const { stage, line, text: yaml } = await made(`no ${name}`, content);
    expect({ stage, line }).toEqual({ stage: '{}', line: undefined });
    expect(yaml).toContain('records with tokens keep them.\n  - tokenize: {}\n');
  });

  it('and takes that of letters for letters', async () => {
    const letters = Array.from(text);
    const record = { text, tokens: letters, tags: letters.map(() => 'B') };
    const { stage, line } = await made('letters', lines(record));
    expect(stage).toBe('{ tokenizer: characters, sentences: false }');
    expect(line).toBeUndefined();
  });

  it('and warns where it is white space', async () => {
    const record = { text: '#go @ann !!! x_x', tokens: ['#go', '@ann', '!!!', 'x_x'], tags: upos };
    const { stage, warnings } = await made('spaced', lines(record));
    expect(stage).toBe('{ tokenizer: whitespace }');
    expect(warnings).toEqual([
      expect.stringMatching(/^the tokens of the file are separated by white space only/),
    ]);
  });

  it('and counts the words of a multiword token where they are in the text', async () => {
    const sentence = (whole: string, ...parts: readonly string[]) => {
      const inner = parts.map((part, i) => row(i + 1, part, 'X'));
      const all = [row('1-2', whole, '_', 'SpaceAfter=No'), ...inner, row(3, '!', 'PUNCT')];
      return `${[...all, row('3.1', 'there', '_')].join('\n')}\n\n`.repeat(30);
    };
    expect((await made('divided', sentence("don't", 'do', "n't"))).line).toBe(
      'tokenizer regex: 100 % of the tokens of the file (F1), treebank 100, unicode 40, whitespace 0',
    );
    expect((await made('whole', sentence('du', 'de', 'le'))).line).toBe(
      'tokenizer regex: 100 % of the tokens of the file (F1), treebank 100, unicode 100, whitespace 0',
    );
  });
});
