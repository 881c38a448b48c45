import { join } from 'node:path';
import { tokenCount } from '../corpus/token-count.mjs';
import { command } from '../processes/command.mjs';
import { runRounds } from '../processes/run-rounds.mjs';
import { against } from '../report/against.mjs';

/** What `tag` is asked for, the most usual first; whole processes, measured against whole records of tokens. */
export async function uses({ corpus, files, models, copies, runs, folder, progress }) {
  const model = await models.ours('conll2000-chunking');
  const words = await models.ours('pos');
  const records = files.input('ndjson', copies);
  const texts = files.input('text', copies);
  const out = name => join(folder, `${name}.ndjson`);
  const asked = [
    ['whole records', model, records, []],
    ['raw text, preset pos', words, texts, ndjson],
    ['raw text, preset pos, two workers', words, texts, [...ndjson, '--workers', '2']],
    ['raw text in one record, preset pos', words, files.oneText(copies), ndjson],
    ['raw text without a blank, preset pos', words, files.unspaced(copies), ndjson],
    ['whole records, two workers', model, records, ['--workers', '2']],
    ['--marginals', model, records, ['--marginals']],
    ['--span-probabilities', model, records, ['--span-probabilities']],
    ['--nbest 3', model, records, ['--nbest', '3']],
    ['--output tags', model, records, ['--output', 'tags']],
    ['columns', model, files.input('columns', copies), ['--format', columns]],
    ['--out', model, records, ['--out', out('plain')]],
    [
      '--out --checkpoint',
      model,
      records,
      ['--out', out('kept'), '--checkpoint', join(folder, 'checkpoints')],
    ],
  ];
  const tasks = asked.map(([name, file, input, more]) => ({
    ...{ name, runs },
    command: command('tag', '--model', file, ...more, input),
  }));
  const outcomes = await runRounds(tasks, progress);
  const tokens = tokenCount(corpus.test) * copies;
  const rows = tasks.map(({ name }) => ({
    ...{ group: 'uses', what: name, tokens },
    ...outcomes.get(name),
  }));
  return { rows: against(rows, { [rows[0].what]: rows }) };
}

const ndjson = ['--format', 'ndjson'];
const columns = 'conll:{columns: [form, pos, tag], tagOptional: true}';
