import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from './run-command.js';
import { toyPipeline, toyRecords, workspace } from './workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const plain = { NO_COLOR: '', FORCE_COLOR: '' };

beforeAll(async () => {
  expect((await tagstream(['train', toyPipeline(folder)])).code).toBe(0);
});

describe('tagstream tag', () => {
  it('writes text to be read with --pretty, coloured where that is wanted', async () => {
    const stdin = '{"id":1,"tokens":["the","dog"]}\n{"text":"The old house."}\n';
    const run = (env: Record<string, string>) =>
      tagstream(['tag', '--model', model, '--pretty'], { stdin, env: { ...plain, ...env } });
    const [pipe, forced, refused] = await Promise.all([
      run({}),
      run({ FORCE_COLOR: '1' }),
      run({ FORCE_COLOR: '1', NO_COLOR: '1' }),
    ]);
    expect(pipe.stdout).toMatch(
      /^1 {2}the\/DET dog\/NOUN\n\nThe\/\w+ old\/ADJ house\/NOUN \.\/\w+\n\n$/,
    );
    expect(forced.stdout).toContain('the\x1b[2m/DET\x1b[22m');
    expect(refused.stdout).toBe(pipe.stdout);
  });

  it('writes a page with --html, whole also without a record, and bad records to the rest', async () => {
    const page = join(folder, 'page.html');
    const stdin = `{"id":"<b>","tokens":["the","<script>"]}\nno record\n${toyRecords(3, false).join('\n')}\n`;
    const given = ['tag', '--model', model, '--marginals', '--html'];
    const tagged = await tagstream([...given, page], { stdin });
    expect(tagged).toMatchObject({ code: 0, stdout: '' });
    expect(tagged.stderr).toContain('not-json');
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<article /g)).toHaveLength(4);
    expect(html).toMatch(/title="DET, probability \S+ %">the<rt>DET<\/rt>/);
    expect(html).not.toMatch(/<script|<b>/);
    expect(html.endsWith('</html>\n')).toBe(true);
    const none = await tagstream([...given, '-'], { stdin: '' });
    expect(none.stdout.startsWith('<!doctype html>')).toBe(true);
    expect(none.stdout.match(/<\/html>/g)).toHaveLength(1);
  });

  it('writes a page of many records, each in its place', async () => {
    const input = join(folder, 'many.ndjson');
    const page = join(folder, 'many.html');
    writeFileSync(input, `${toyRecords(4000, false).join('\n')}\n`);
    expect((await tagstream(['tag', '--model', model, '--html', page, input])).code).toBe(0);
    const articles = readFileSync(page, 'utf8').split('<article ');
    expect(articles).toHaveLength(4001);
    expect(articles[4000]).toContain('aria-label="Record 3999"');
  });

  it('says what such text cannot be combined with', async () => {
    const run = (...more: string[]) => tagstream(['tag', '--model', model, ...more]);
    const outcomes = await Promise.all([
      run('--pretty', '--workers', '2'),
      run('--html', 'p.html', '--out', 'o.ndjson'),
      run('--html', 'p.html', '--pretty'),
      run('--pretty', '--output', 'tags'),
      run('--pretty', '--out', 'o', '--checkpoint', 'c'),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    expect(outcomes.map(({ stderr }) => /--\w+ with [-\w ]+/.exec(stderr)?.[0].trim())).toEqual([
      '--pretty with several workers',
      '--html with --out',
      '--html with --pretty',
      '--pretty with --output tags',
      '--pretty with --checkpoint',
    ]);
  });
});
