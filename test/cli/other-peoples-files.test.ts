import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyNth } from '../house/long-forms.js';
import { tagstream } from './commands/run-command.js';
import { workspace } from './commands/workspace.js';

const folder = workspace();

/** A sentence with its spans in tokens. */
interface Example {
  readonly tokens: readonly string[];
  readonly spans: readonly (readonly [start: number, end: number, label: string])[];
}

const people = ['Ann', 'Ben', 'Eve', 'Max', 'Zoe', 'Tom', 'Una', 'Ida', 'Lea', 'Kai', 'Jon', 'Pia'];
const places = ['Rome', 'Oslo', 'Kyiv', 'Lima', 'Bonn'];
const examples: readonly Example[] = Array.from({ length: 48 }, (_, i) => {
  const [who, where] = [people[i % people.length]!, places[i % places.length]!];
  return i % 2 === 0
    ? {
        tokens: [who, 'Berg', 'lives', 'in', where, '.'],
        spans: [
          [0, 2, 'PER'],
          [4, 5, 'LOC'],
        ],
      }
    : { tokens: ['We', 'saw', who, 'today', '.'], spans: [[2, 3, 'PER']] };
});

const textOf = ({ tokens }: Example) => tokens.join(' ');
const placesOf = ({ tokens }: Example) => {
  let at = 0;
  return tokens.map(token => {
    const start = at;
    at += token.length + 1;
    return [start, start + token.length] as const;
  });
};
/** Spans in characters. */
const charactersOf = (example: Example) => {
  const all = placesOf(example);
  return example.spans.map(
    ([start, end, label]) => [all[start]![0], all[end - 1]![1], label] as const,
  );
};
const tagsOf = ({ tokens, spans }: Example, letters = 'BIIB') =>
  tokens.map((_, t) => {
    const span = spans.find(([start, end]) => start <= t && t < end);
    if (span === undefined) return 'O';
    const [start, end, label] = span;
    const letter = end - start === 1 ? 3 : t === start ? 0 : t === end - 1 ? 2 : 1;
    return `${letters[letter]}-${label}`;
  });
const names = ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC'];
const numbersOf = (example: Example) => tagsOf(example).map(tag => names.indexOf(tag));
const lines = (make: (example: Example, i: number) => unknown) =>
  examples.map((example, i) => `${JSON.stringify(make(example, i))}\n`).join('');
const rows = (make: (example: Example, i: number) => readonly string[]) =>
  examples.map((example, i) => `${make(example, i).join('\n')}\n\n`).join('');

/** Files as the documentation of a tool or a data set has them: name, what it is, and the fields that are named as dropped. */
const files: readonly (readonly [
  what: string,
  name: string,
  content: string,
  options: string,
  dropped?: string,
])[] = [
  [
    'doccano, JSONL',
    'doccano.jsonl',
    lines((one, id) => ({ id, text: textOf(one), label: charactersOf(one), Comments: [] })),
    'doccano:',
    'Comments (48 records)',
  ],
  [
    'doccano, with entities and relations',
    'relations.jsonl',
    lines((one, id) => ({
      ...{ id, text: textOf(one), relations: [] },
      entities: charactersOf(one).map(([start_offset, end_offset, label], n) => ({
        id: n,
        label,
        start_offset,
        end_offset,
      })),
    })),
    'doccano:',
    'entities[].id (48 records)',
  ],
  [
    'Label Studio',
    'tasks.json',
    JSON.stringify(
      examples.map((one, id) => ({
        id,
        data: { text: textOf(one) },
        annotations: [
          {
            id: 100 + id,
            completed_by: 1,
            result: charactersOf(one).map(([start, end, label], n) => ({
              ...{ id: `r${n}`, from_name: 'label', to_name: 'text', type: 'labels' },
              value: { start, end, text: textOf(one).slice(start, end), labels: [label] },
            })),
          },
        ],
        predictions: [],
      })),
    ),
    'label-studio:',
    'annotations[].completed_by (48 records)',
  ],
  [
    'Label Studio, short, under the name of its control',
    'short.json',
    JSON.stringify(
      examples.map((one, id) => ({
        ...{ id, text: textOf(one), annotator: 1, annotation_id: id, lead_time: 2.5 },
        ner: charactersOf(one).map(([start, end, label]) => ({
          ...{ start, end, text: textOf(one).slice(start, end), labels: [label] },
        })),
      })),
    ),
    'label-studio:',
    'lead_time (48 records)',
  ],
  [
    'INCEpTION, WebAnno TSV 3.3',
    'inception.tsv',
    (() => {
      const head =
        '#FORMAT=WebAnno TSV 3.3\n#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n\n\n';
      let at = 0;
      let key = 0;
      return (
        head +
        rows((one, i) => {
          const all = placesOf(one);
          const cells = one.tokens.map(() => '_\t_');
          for (const [start, end, label] of one.spans) {
            key += 1;
            const mark = end - start === 1 ? '' : `[${key}]`;
            for (let t = start; t < end; t += 1) cells[t] = `*${mark}\t${label}${mark}`;
          }
          const found = one.tokens.map(
            (token, t) =>
              `${i + 1}-${t + 1}\t${at + all[t]![0]}-${at + all[t]![1]}\t${token}\t${cells[t]}\t`,
          );
          at += textOf(one).length + 1;
          return [`#Text=${textOf(one)}`, ...found];
        })
      );
    })(),
    'webanno:',
    'column 1 (48 records)',
  ],
  [
    'spaCy 3, offsets',
    'spacy.jsonl',
    lines(one => ({
      text: textOf(one),
      ents: charactersOf(one).map(([start, end, label]) => ({ start, end, label })),
      cats: { x: 1 },
    })),
    'spacy:',
    'cats (48 records)',
  ],
  [
    'spaCy, pairs of text and annotations',
    'pairs.json',
    JSON.stringify(examples.map(one => [textOf(one), { entities: charactersOf(one) }])),
    'spacy:',
  ],
  [
    'spaCy 2, paragraphs',
    'paragraphs.json',
    JSON.stringify(
      examples.map((one, id) => {
        const tags = tagsOf(one, 'BILU');
        const tokens = one.tokens.map((orth, n) => ({
          id: n,
          orth,
          ner: tags[n],
          head: 0,
          dep: '',
        }));
        return { id, paragraphs: [{ raw: textOf(one), sentences: [{ tokens, brackets: [] }] }] };
      }),
    ),
    'spacy:',
    'paragraphs[].sentences[].tokens[].head (48 records)',
  ],
  [
    'Prodigy, ner.manual',
    'prodigy.jsonl',
    lines((one, i) => ({
      text: textOf(one),
      meta: { source: 'x' },
      _input_hash: i,
      tokens: placesOf(one).map(([start, end], id) => ({
        text: one.tokens[id],
        start,
        end,
        id,
        ws: true,
      })),
      spans: charactersOf(one).map(([start, end, label], n) => {
        const [first, last] = [one.spans[n]![0], one.spans[n]![1] - 1];
        return { start, end, token_start: first, token_end: last, label };
      }),
      answer: 'accept',
    })),
    'prodigy:',
    'meta (48 records)',
  ],
  [
    'a data set viewer of Hugging Face',
    'viewer.json',
    JSON.stringify({
      features: [
        {
          feature_idx: 0,
          name: 'tokens',
          type: { feature: { dtype: 'string', _type: 'Value' }, _type: 'Sequence' },
        },
        {
          feature_idx: 1,
          name: 'ner_tags',
          type: { feature: { names, _type: 'ClassLabel' }, _type: 'Sequence' },
        },
      ],
      rows: examples.map((one, row_idx) => ({
        ...{ row_idx, truncated_cells: [] },
        row: { id: String(row_idx), tokens: one.tokens, ner_tags: numbersOf(one), lang: 'en' },
      })),
      num_rows_total: examples.length,
    }),
    'records: rows',
    'lang (48 records)',
  ],
  [
    'a data set of Hugging Face as JSONL, its names beside it',
    'hub/train.jsonl',
    lines((one, id) => ({ id, words: one.tokens, labels: numbersOf(one) })),
    'tokens: words',
    'id (48 records)',
  ],
  [
    'columns in one object, as to_dict',
    'hub/columns.json',
    JSON.stringify({
      tokens: examples.map(({ tokens }) => tokens),
      labels: examples.map(numbersOf),
    }),
    'records: columns',
  ],
  [
    'CoNLL-2003',
    'conll2003.txt',
    `-DOCSTART- -X- -X- O\n\n${rows(one => {
      const tags = tagsOf(one, 'IIII');
      return one.tokens.map((token, t) => `${token} NN I-NP ${tags[t]}`);
    })}`,
    'columns: [form, ',
  ],
  [
    'Wikiner',
    'wikiner.txt',
    examples
      .map(one => {
        const tags = tagsOf(one, 'IIII');
        return `${one.tokens.map((token, t) => `${token}|${t % 2 === 0 ? 'NN' : 'VB'}|${tags[t]}`).join(' ')}\n`;
      })
      .join(''),
    'columns: [form, pos, tag]',
  ],
  [
    'tags of Korean data, types first',
    'suffix.tsv',
    rows(one => {
      const tags = tagsOf(one).map(tag => (tag === 'O' ? '-' : `${tag.slice(2)}_${tag[0]}`));
      return one.tokens.map((token, t) => `${token}\t${tags[t]}`);
    }),
    'spanTags: X_B',
  ],
  [
    'CoNLL-U with entities in MISC',
    'norne.conllu',
    rows((one, i) => {
      const tags = tagsOf(one);
      const words = one.tokens.map((token, t) => {
        const misc = tags[t] === 'O' ? 'SpaceAfter=Yes' : `name=${tags[t]}`;
        return `${t + 1}\t${token}\t_\t${t === 0 ? 'PROPN' : 'NOUN'}\t_\t_\t0\t_\t_\t${misc}`;
      });
      return [`# sent_id = ${i}`, `# text = ${textOf(one)}`, '# genre = news', ...words];
    }),
    'tag: misc.name',
    '# genre (48 records)',
  ],
  [
    'CSV of a spreadsheet',
    'table.csv',
    `Sentence #,Word,Tag\n${examples
      .flatMap((one, i) => {
        const tags = tagsOf(one);
        return one.tokens.map(
          (token, t) => `${t === 0 ? `Sentence: ${i + 1}` : ''},${token},${tags[t]}\n`,
        );
      })
      .join('')}`,
    'separator: comma',
  ],
];

for (const { rows, tags } of everyNth(
  6,
  files.map(file => [file[0], file] as const),
)) {
  describe.each(rows)('%s', { tags }, (_, [, name, content, expected, dropped]) => {
    const file = join(folder, name);
    const pipeline = `${file}.yaml`;
    const model = `${file}.model`;

    it('goes through init, train, tag and convert', { timeout: 120_000 }, async () => {
      mkdirSync(join(folder, 'hub'), { recursive: true });
      const feature = { feature: { names, _type: 'ClassLabel' }, _type: 'Sequence' };
      writeFileSync(
        join(folder, 'hub', 'dataset_info.json'),
        JSON.stringify({ features: { labels: feature } }),
      );
      writeFileSync(file, content);

      const made = await tagstream([
        'init',
        file,
        '--out',
        pipeline,
        '--words-only',
        '--task',
        'ner',
      ]);
      expect(made.stderr).toContain(`wrote ${pipeline}`);
      expect(made.code).toBe(0);
      expect(readFileSync(pipeline, 'utf8')).toContain(expected);

      const trained = await tagstream(['train', pipeline, '--model', model]);
      expect([trained.code, trained.stderr.includes('rejected')]).toEqual([0, false]);
      expect(`${trained.stdout}${trained.stderr}`).toMatch(/test: F1 (?:9\d|100)/);

      const tagged = await tagstream([
        'tag',
        file,
        '--model',
        model,
        '--format',
        readFormat(pipeline),
      ]);
      expect([tagged.code, tagged.stderr]).toEqual([0, '']);
      expect(tagged.stdout).toContain('PER');

      // CoNLL-U has parts of speech unless another column is named.
      const from = name.endsWith('.conllu') ? ['--from', 'conllu:{tag: misc.name}'] : [];
      const to = ['--to', 'conll:{columns: [form, tag]}'];
      const converted = await tagstream(['convert', file, ...from, ...to]);
      expect(converted.code).toBe(0);
      const gold = converted.stdout
        .replaceAll('-DOCSTART- O\n\n', '')
        .trim()
        .split('\n\n')
        .map(block => block.split('\n').map(row => row.split(' ')));
      expect(gold.map(block => block.map(([token]) => token))).toEqual(
        examples.map(({ tokens }) => tokens),
      );
      expect(gold.map(block => block.map(([, tag]) => tag!.slice(1)))).toEqual(
        examples.map(one => tagsOf(one).map(tag => tag.slice(1))),
      );
      if (dropped !== undefined) expect(converted.stderr).toContain(dropped);
      expect(converted.stderr).not.toContain('rejected');

      const scored = await tagstream(['eval', file, '--model', model]);
      expect([scored.code, /F1 (?:9\d|100)/.test(scored.stdout)]).toEqual([0, true]);
    });
  });
}

/** The format of the source that `init` has written, as `--format` takes it. */
function readFormat(pipeline: string): string {
  const text = readFileSync(pipeline, 'utf8');
  const [, format = '', options = ''] = /\nsource:\n {2}([\w-]+):\n((?: {4}.*\n)+)/.exec(text)!;
  const own = options
    .split('\n')
    .filter(line => line !== '' && !/^ {4}(?:files|split|comment):/.test(line))
    .map(line => line.trim());
  return own.length === 0 ? format : `${format}:{${own.join(', ')}}`;
}
