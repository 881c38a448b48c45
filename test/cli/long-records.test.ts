import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyNth } from '../house/long-forms.js';
import { writeModels } from '../service/serve/served.js';
import { tagstream } from './commands/run-command.js';
import { workspace } from './commands/workspace.js';

const folder = workspace();
const { names } = writeModels(folder);

/** How many parts a record has: more than a function takes arguments. */
const many = 200_000;

const list = (count: number, item: (i: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, i) => item(i)).join(separator);

/** Records with many parts of a kind, each with its format. */
const records: readonly [name: string, from: string, text: string][] = [
  [
    'tokens',
    'ndjson',
    `{"tokens":[${list(many, () => '"a"')}],"tags":[${list(many, () => '"X"')}]}\n`,
  ],
  ['fields', 'ndjson', `{"text":"a b",${list(many, i => `"k${i}":${i}`)}}\n`],
  [
    'columns',
    'ndjson',
    `{"tokens":["a"],"tags":["X"],"columns":{${list(many, i => `"k${i}":["b"]`)}}}\n`,
  ],
  [
    'spans',
    'ndjson',
    `{"text":"${'ab '.repeat(many)}","spans":[${list(many, i => `{"start":${3 * i},"end":${3 * i + 2},"label":"X"}`)}]}\n`,
  ],
  ['cells', 'conll:{columns: [form, tag], separator: tab}', `a\t${'b\t'.repeat(many)}X\n\n`],
  ['rows', 'conll:{columns: [form, tag], separator: tab}', `${'a\tX\n'.repeat(many)}\n`],
  [
    'blank lines',
    'conll:{columns: [form, tag], separator: tab}',
    `a\tX\n${'\n'.repeat(many)}b\tX\n`,
  ],
  ['comments', 'conllu', `${'# a\n'.repeat(many)}1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n`],
  ['features', 'conllu', `1\ta\t_\tX\t_\t${'A=b|'.repeat(many)}Z=y\t_\t_\t_\t_\n\n`],
  ['words', 'conllu', `${list(many, i => `${i + 1}\ta\t_\tX\t_\t_\t_\t_\t_\t_\n`, '')}\n`],
  ['tagged words', 'slash', `${'a/X '.repeat(many)}\n`],
  ['separators', 'slash', `a${'/'.repeat(many)}X\n`],
  ['quotes', 'csv', `token,tag\n"${'""'.repeat(many)}",X\n`],
  ['cells of a table', 'csv', `${list(many, i => `c${i}`)},token,tag\n${'a,'.repeat(many)}a,X\n`],
  ['blanks', 'text', `a${' '.repeat(many)}b\n`],
  ['carriage returns', 'text', `a${'\r'.repeat(many)}b\n`],
  ['sentences', 'text', `${'Dr. A. b. '.repeat(many / 10)}\n`],
];

describe('a record with very many parts is read, or refused with a reason, by', () => {
  for (const [name, from, text] of records) {
    const file = `${folder}/${name.replaceAll(' ', '-')}.${from.split(':')[0]}`;
    for (const { rows, tags } of everyNth(5, [
      ['convert', [file, '--from', from, '--to', 'ndjson', '--out', `${file}.out`]],
      ['convert', [file, '--to', 'ndjson', '--out', `${file}.out`]],
      ['init', [file, '--out', `${file}.yaml`]],
      ['tag', ['--model', names, file]],
      ['eval', ['--model', names, file]],
    ])) {
      it.each(rows)(`%s, of ${name}`, { tags }, async (command, given) => {
        writeFileSync(file, text);
        const { stderr } = await tagstream([command, ...given]);
        expect(stderr).not.toMatch(/call stack|RangeError|TypeError|internal/);
        // What is said does not grow with the record.
        expect(stderr.length).toBeLessThan(20_000);
      });
    }
  }
});
