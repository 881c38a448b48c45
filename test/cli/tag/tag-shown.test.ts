import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { refuseShown } from '../../../src/cli/tag/refuse-shown.js';
import { tagstream } from '../commands/run-command.js';
import { trainHere } from '../commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../commands/workspace.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const plain = { NO_COLOR: '', FORCE_COLOR: '' };

beforeAll(async () => {
  await trainHere(toyPipeline(folder));
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
    const usual = { out: '-', output: 'record', workers: 1 } as const;
    const refusal = (given: Partial<Parameters<typeof refuseShown>[0]>) => () =>
      refuseShown({ ...usual, ...given });
    const [pretty, html] = [{ pretty: true }, { html: 'p.html' }];
    expect(refusal({ ...pretty, workers: 2 })).toThrow(
      '--pretty cannot be combined with several workers',
    );
    expect(refusal({ ...html, out: 'o.ndjson' })).toThrow('--html cannot be combined with --out');
    expect(refusal({ ...html, ...pretty })).toThrow('--html cannot be combined with --pretty');
    expect(refusal({ ...pretty, output: 'tags' })).toThrow(
      '--pretty cannot be combined with --output tags',
    );
    expect(refusal({ ...pretty, out: 'o', checkpoint: 'c' })).toThrow(
      '--pretty cannot be combined with --checkpoint',
    );
    expect(refusal({ ...html, nbest: 2 })).toThrow('--html cannot be combined with --nbest');
    expect(refusal({ ...html, scores: true })).toThrow('--html cannot be combined with --scores');
    expect(refusal({ ...pretty, probability: true })).toThrow(
      '--pretty cannot be combined with --probability',
    );
    expect(refusal({ ...pretty, probability: false })).not.toThrow();
    const given = ['tag', '--model', model, '--html', join(folder, 'no.html'), '--nbest', '2'];
    expect((await tagstream(given)).code).toBe(2);
    const twice = await tagstream([...given, '--html', 'b']);
    expect(twice).toMatchObject({ code: 2, stdout: '' });
    expect(twice.stderr).toContain('--html occurs 2 times (give it only once)');
  });
});
