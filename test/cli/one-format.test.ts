import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { convertibleFormat } from '../../src/cli/files/convertible-format.js';
import { inputFormat } from '../../src/cli/files/input-format.js';
import { readHead } from '../../src/formats/reading/read-head.js';
import { lookAtFile } from '../../src/runtime/pipeline/init/look-at-file.js';
import { everyNth } from '../house/long-forms.js';
import { tagstream } from './commands/run-command.js';
import { workspace } from './commands/workspace.js';

const folder = workspace();
const none = () => Readable.from([]);

const json = (...records: readonly unknown[]) =>
  records.map(each => `${JSON.stringify(each)}\n`).join('');
const text = 'Anna flew to Oslo.';
const tagged = { tokens: ['Anna', 'flew'], tags: ['B-PER', 'O'] };
const row = (cells: readonly string[]) => `${cells.join('\t')}\n`;
const rows = 'Anna B-PER\nsaw O\nOslo B-LOC\n\nBen B-PER\nslept O\n';
const conllu = `# sent_id = 1\n${row(['1', 'Anna', '_', 'PROPN', '_', '_', '_', '_', '_', '_'])}\n`;
const plus = `# global.columns = ID FORM UPOS\n${row(['1', 'Anna', 'PROPN'])}\n`;
const slash = 'The/DT jury/NN said/VBD\nAnna/NNP flew/VBD\n';
const crfsuite = 'B-PER\tw[0]=Anna\tp=N\nO\tw[0]=ran\tp=V\n\n';
const webanno =
  '#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Ne|value\n\n\n#Text=Anna\n1-1\t0-4\tAnna\tPER\t\n';

/** Contents, and the format that every command reads them in; names without an extension tell nothing. */
const contents: readonly (readonly [format: string, content: string])[] = [
  ['ndjson', json(tagged)],
  ['ndjson', json({ text }, { text: 'Ben ran.' })],
  ['ndjson', `[${JSON.stringify(tagged)}]\n`],
  ['ndjson', json({ tokens: [['Anna'], ['Ben']], ner_tags: [['B-PER'], ['B-PER']] })],
  ['spans', json({ text, spans: [{ start: 0, end: 4, label: 'PER' }] })],
  ['spans', json({ text: 'Nobody.' }, { text, spans: [{ start: 0, end: 4, label: 'PER' }] })],
  ['doccano', json({ text, label: [[0, 4, 'PER']] })],
  ['spacy', json({ text, entities: [[0, 4, 'PER']] })],
  ['spacy', json([text, { entities: [[0, 4, 'PER']] }])],
  ['prodigy', json({ text, answer: 'accept', spans: [{ start: 0, end: 4, label: 'PER' }] })],
  ['label-studio', json({ data: { text }, annotations: [] })],
  ['conll', rows],
  ['conllu', conllu],
  ['conllu', plus],
  ['crfsuite', crfsuite],
  ['webanno', webanno],
  ['slash', slash],
];

const models = {
  'no model': undefined,
  'a model of NDJSON': { codec: 'ndjson', options: {} },
  'a model of columns': { codec: 'conll', options: { columns: ['form', 'tag'] } },
  'a model of CoNLL-U': { codec: 'conllu', options: { tag: 'upos' } },
};

describe.each(contents.map(([format, content], i) => [format, content, i] as const))(
  '%s, in %j,',
  (format, content, i) => {
    const isJson = /^[[{]/.test(content);
    const names = [`file${i}`, ...(isJson ? [`file${i}.json`, `file${i}.jsonl`] : [])];

    for (const part of everyNth(5, names)) {
      it.each(part.rows)(
        'is the format of %s for every command',
        { tags: part.tags },
        async name => {
          const file = join(folder, name);
          writeFileSync(file, content);
          const found: Record<string, string> = {};
          const ofConvert = await convertibleFormat(file, undefined, none());
          found.convert = ofConvert.name;
          for (const [model, input] of Object.entries(models)) {
            const spec = input && ({ input } as never);
            for (const untagged of [true, false]) {
              const chosen = await inputFormat({ file, spec, untagged }, none());
              found[`${untagged ? 'tag' : 'eval'} with ${model}`] = chosen.name;
              if (format === 'conllu') {
                expect(chosen.options.columns).toEqual(ofConvert.options.columns);
              }
            }
          }
          try {
            found.init = lookAtFile(await readHead(file, 2 ** 20), file, {}).format;
          } catch (thrown) {
            // Nothing can be learned from it.
            expect(String(thrown)).toMatch(/without labels|no record has tags/);
          }
          expect(new Set(Object.values(found))).toEqual(new Set([format]));
          if (!isJson) return;
          const stdin = () => Readable.from([Buffer.from(content)]);
          expect((await convertibleFormat('-', undefined, stdin())).name).toBe(format);
          for (const untagged of [true, false]) {
            expect((await inputFormat({ file: '-', untagged }, stdin())).name).toBe(format);
          }
        },
      );
    }
  },
);

it.each([
  ['a text', 'Anna flew to Oslo.\nBen stayed.\n', 'text'],
  ['lines of one word', 'Anna\nBen\nOslo\n', 'text'],
  ['lines of two words', 'Good morning\nGood evening\nGood night\n', 'text'],
  ['tokens without tags', 'Anna\nflew\n\nBen\nran\n\n', 'conll'],
])('tag reads %s as such, whatever the model was trained on', async (_, content, format) => {
  const file = join(folder, 'unlabelled');
  writeFileSync(file, content);
  const spec = { input: models['a model of NDJSON'] } as never;
  expect((await inputFormat({ file, spec, untagged: true }, none())).name).toBe(format);
});

it('init, convert and eval refuse an empty cell in the row where it is, and keep the task', async () => {
  const file = join(folder, 'empty.tsv');
  const sentence = 'Anna\tNNP\tB-PER\nflew\tVBD\tO\nto\tTO\tO\nOslo\tNNP\tB-LOC\n\n';
  writeFileSync(file, `${sentence.repeat(5)}Ben\tNNP\t\nran\tVBD\tO\n\n`);
  const init = await tagstream(['init', file, '--out', join(folder, 'empty.yaml')]);
  expect(init.code).not.toBe(0);
  expect(init.stderr).toContain(`${file}:26: the column tag is empty in a row`);
  const convert = await tagstream(['convert', file, '--to', 'ndjson', '--on-bad', 'skip']);
  expect(convert.stdout.trim().split('\n')).toHaveLength(5);
  expect(JSON.parse(convert.stdout.split('\n')[0]!).tags).toEqual(['B-PER', 'O', 'O', 'B-LOC']);
  expect(convert.stderr).toContain(`${file}:26: the column tag is empty in a row`);
});
