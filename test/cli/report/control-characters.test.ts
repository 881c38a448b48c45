import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { root, tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const path = (name: string) => join(folder, name);

/** ESC with a title, BEL, CR, C1, an override of direction, a line separator, a deletion. */
const orders = '\x1b]0;owned\x07\r\x9b2J\u202e\u2066\u2028\x7f\x1b[31m';
const token = `w${orders}`;
const label = `PER${orders}`;
const odd = `odd${orders}`;

/** What no output for people may have in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const commanding = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours
const ownStyles = /\x1b\[(?:0|1|2|22|30;48;5;\d+|39|3[12])m/g;

const record = (id: string) =>
  `${JSON.stringify({ id: `${id}${orders}`, tokens: [token, 'ran'], tags: [`B-${label}`, 'O'] })}\n`;

const pipeline = () => `version: 1
name: x
source: { ndjson: { files: [${JSON.stringify(`${odd}.ndjson`)}] } }
stages:
  - featurize: { templates: ["U00:%x[0,0]", "B"] }
  - batch
  - contribute
  - optimize: { sgd: {} }
train: { epochs: 2 }
model: ${JSON.stringify(`${odd}.model`)}
checks: [{ text: ${JSON.stringify(`${token} ran`)}, tags: [O, O] }]
`;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path(`${odd}.ndjson`), record('1') + record('2'));
  writeFileSync(
    path(`${odd}.bad`),
    `${record('1')}{"tokens":["${'a'}"],"tags":3}\nno json\x1b[2J\n`,
  );
  writeFileSync(path(`${odd}.yaml`), pipeline());
  writeFileSync(path(`${odd}.wrong`), `version: 1\n${JSON.stringify(odd)}: 4\n`);
  await trainHere(path(`${odd}.yaml`));
});

const model = path(`${odd}.model`);
const data = path(`${odd}.ndjson`);
const file = path(`${odd}.yaml`);

describe('control characters of names and data', () => {
  for (const { rows, tags } of everyNth(6, [
    ['train', file],
    ['train', file, '--log', 'json'],
    ['train', file, '--dry-run'],
    ['train', path(`${odd}.none`)],
    ['train', path(`${odd}\n.none`), '--verbose'],
    ['train', path(`${odd}.wrong`)],
    ['train', file, '--set', `${odd}=4`],
    ['train', file, '--set', `train.${odd}=4`, '--log', 'json'],
    ['train', file, `--${odd}`],
    [odd],
    ['validate', file, path(`${odd}.wrong`), path(`${odd}.none`)],
    ['test', file],
    ['tag', '--model', path(`${odd}.none`), data],
    ['tag', '--model', model, path(`${odd}.bad`), '--out', path('out.ndjson'), '--on-bad', 'skip'],
    ['tag', '--model', model, path(`${odd}.bad`), '--out', path('out.ndjson'), '--log', 'json'],
    ['tag', '--model', model, data, '--pretty'],
    ['eval', '--model', model, data],
    ['eval', '--model', model, data, '--report', 'full'],
    ['eval', '--model', model, data, '--report', 'full', '--json'],
    ['eval', '--model', model, data, '--against', model],
    ['crossval', file, '--folds', '2', '--report', 'full'],
    ['curve', file],
    ['inspect', model],
    ['inspect', model, '--json'],
    ['inspect', model, '--explain', data],
    ['inspect', model, '--explain', data, '--json'],
    ['init', data, '--out', path('made.yaml'), '--force'],
    ['init', data, '--out', path(`made${odd}.yaml`), '--force'],
    ['convert', data, '--to', 'conll', '--out', path('out.conll')],
    ['convert', data, '--to', 'brat', '--out', path('brat/')],
    ['convert', path(`${odd}.bad`), '--to', 'conll', '--out', path('out.conll')],
    ['pool', '--model', path('pooled.model'), model, model, '--train', data],
    ['components', odd],
    ['presets', odd],
    ['corpora', 'fetch', odd],
  ])) {
    it.each(rows)('give no orders to a terminal: %j', { tags }, async (...words) => {
      for (const colour of ['', '1']) {
        const { stdout, stderr } = await tagstream(words, { env: { FORCE_COLOR: colour } });
        expect(stdout + stderr).not.toBe('');
        const text = stdout.replace(colour === '' ? /(?!)/ : ownStyles, '') + stderr;
        expect(commanding.exec(text), text).toBeNull();
      }
    });
  }

  it('stay in data', async () => {
    const { stdout } = await tagstream(['tag', '--model', model, data]);
    const tokens = stdout
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { tokens: string[] }).tokens[0]);
    expect(tokens).toEqual([token, token]);
    const { stdout: converted } = await tagstream(['convert', data, '--to', 'ndjson']);
    expect(converted).toBe(readFileSync(data, 'utf8'));
  });

  it('all commands print by the same few functions', () => {
    const files = readdirSync(join(root, 'src/cli'), { recursive: true, encoding: 'utf8' });
    const direct = files
      .filter(name => name.endsWith('.ts'))
      .filter(name =>
        /\.std(?:out|err)\.write\(/.test(readFileSync(join(root, 'src/cli', name), 'utf8')),
      );
    // The report erases the line of its bar.
    expect(direct.sort()).toEqual(['report/terminal.ts', 'report/training-report.ts']);
  });
});
