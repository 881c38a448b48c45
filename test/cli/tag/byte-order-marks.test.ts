import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../house/long-forms.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const tag = ['tag', '--model', 'toy.model'];

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
  writeFileSync(
    join(folder, 'tags.yaml'),
    `version: 1
name: tags
source: { ndjson: { files: ["-"] } }
stages: [tokenize, { featurize: { model: toy.model } }, { batch: { sentences: 4 } }, tag]
`,
  );
});

const tokens = toyRecords(40, false).map(line => (JSON.parse(line) as { tokens: string[] }).tokens);
const labelled = toyRecords(40).map(
  line => JSON.parse(line) as { tokens: string[]; tags: string[] },
);

/** Files of ten records each, in each format. */
const files = (records: readonly string[], end = '') =>
  [0, 10, 20, 30].map(from => records.slice(from, from + 10).join('') + end);
const formats: Readonly<Record<string, readonly string[]>> = {
  ndjson: files(toyRecords(40, false).map(line => `${line}\n`)),
  texts: files(tokens.map(each => `${JSON.stringify({ text: each.join(' ') })}\n`)),
  crlf: files(toyRecords(40, false).map(line => `${line}\r\n`)),
  'conll:{columns: [form], tagOptional: true}': files(tokens.map(each => `${each.join('\n')}\n\n`)),
  text: files(tokens.map(each => `${each.join(' ')}\n`)),
  'text:{records: paragraph}': files(tokens.map(each => `${each.join('\n')}\n\n`)),
  'text:{records: file}': files(tokens.map(each => `${each.join('\n')}\n`)),
  spans: files(tokens.map(each => `${JSON.stringify({ text: each.join(' '), spans: [] })}\n`)),
  doccano: files(tokens.map(each => `${JSON.stringify({ text: each.join(' '), label: [] })}\n`)),
  'conll:{columns: [form, pos, tag], separator: comma}': files(
    labelled.map(
      each => `${each.tokens.map((token, t) => `${token},_,${each.tags[t]}`).join('\n')}\n\n`,
    ),
  ),
};

/** Ways to the output. */
const ways: readonly (readonly string[])[] = [
  [],
  ['--workers', '2'],
  ['--limit', '1000'],
  ['--metrics', '0'],
];

const mark = '\ufeff';

for (const { rows, tags } of everyNth(4, Object.entries(formats))) {
  describe.each(rows)('files of %s that begin with byte order marks', { tags }, (name, parts) => {
    const format =
      name.includes(':') || ['text', 'spans', 'doccano'].includes(name) ? ['--format', name] : [];
    const marked = parts.map(part => `${mark}${part}`).join('');
    const doubled = `${mark}${marked}${mark}`;

    let plain: string;
    beforeAll(async () => {
      const given = [...tag, ...format];
      const { code, stdout } = await tagstream(given, { cwd: folder, stdin: parts.join('') });
      expect(code).toBe(0);
      expect(stdout.length).toBeGreaterThan(100);
      plain = stdout;
    });

    it.each(ways)('one after the other in a pipe: %s %s %s', { tags: 'slow' }, async (...way) => {
      const given = [...tag, ...format, ...way.filter(word => word !== undefined)];
      // Threads take long to start.
      for (const stdin of way.includes('--workers') ? [doubled] : [marked, doubled]) {
        const { code, stdout, stderr } = await tagstream(given, { cwd: folder, stdin });
        expect([code, stderr.includes('bad record')]).toEqual([0, false]);
        expect(stdout).toBe(plain);
      }
    });

    it('in members of gzip, and as files of their own', async () => {
      const members = Buffer.concat(parts.map(part => gzipSync(mark + part)));
      const given = [...tag, ...format];
      expect((await tagstream(given, { cwd: folder, stdin: members })).stdout).toBe(plain);
      if (name.includes('file')) return;
      const names = parts.map((part, i) => {
        writeFileSync(join(folder, `part${i}.data`), mark + part);
        return `part${i}.data`;
      });
      const chosen = format.length > 0 ? format : ['--format', 'ndjson'];
      const several = await tagstream([...tag, ...chosen, ...names], { cwd: folder });
      expect(several.stdout).toBe(plain);
    });
  });
}

it('a pipeline that tags, and one that learns, take them', async () => {
  const parts = formats.ndjson!;
  const plain = await tagstream(['run', 'tags.yaml'], { cwd: folder, stdin: parts.join('') });
  const stdin = parts.map(part => mark + part).join('');
  expect(await tagstream(['run', 'tags.yaml'], { cwd: folder, stdin })).toEqual(plain);
});

it.each([
  ['NDJSON', 'ndjson', (line: string) => `${line}\n`],
  [
    'columns',
    'conll:{columns: [form, tag]}',
    (line: string) => {
      const record = JSON.parse(line) as { tokens: string[]; tags: string[] };
      return `${record.tokens.map((token, t) => `${token} ${record.tags[t]}\n`).join('')}\n`;
    },
  ],
])(
  'a model learns the same from %s with them as without',
  { tags: 'slow' },
  async (_, format, write) => {
    const [name, options] = [
      format.split(':')[0]!,
      format.includes(':') ? 'columns: [form, tag], ' : '',
    ];
    const models: Buffer[] = [];
    for (const every of [Number.POSITIVE_INFINITY, 20]) {
      const text = toyRecords(60).map(
        (line, i) => (i % every === 0 && every === 20 ? mark : '') + write(line),
      );
      writeFileSync(join(folder, 'marked.data'), text.join(''));
      const source = `source={ ${name}: { ${options}files: [marked.data] } }`;
      const given = ['train', 'toy.yaml', '--model', 'marked.model', '--set', source];
      expect(await tagstream(given, { cwd: folder })).toMatchObject({ code: 0 });
      models.push(readFileSync(join(folder, 'marked.model')));
    }
    expect(models[1]!.equals(models[0]!)).toBe(true);
  },
);

it('UTF-16 is refused, and the error says what converts it', async () => {
  const stdin = Buffer.from(`${mark}${formats.ndjson![0]!}`, 'utf16le');
  const { code, stderr } = await tagstream(tag, { cwd: folder, stdin });
  expect([code, stderr]).toEqual([1, expect.stringContaining('iconv -f utf-16')]);
});
