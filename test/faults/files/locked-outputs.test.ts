import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tagstream } from '../../cli/commands/run-command.js';
import { start } from '../../cli/commands/start-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, toyRecords, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';

const folder = workspace();
const at = (name: string) => join(folder, name);
const pause = () => new Promise(done => setTimeout(done, 20));

beforeAll(async () => {
  toyPipeline(folder, 20);
  await trainHere(at('toy.yaml'));
  writeFileSync(at('other.ndjson'), `${toyRecords(500, false).join('\n')}\nbad\n`);
});

const tag = (...given: string[]) => ['tag', '--model', 'toy.model', ...given];

describe('two runs with one file', () => {
  it('that can be resumed: the second is refused, and the first has its own records', async () => {
    const given = (steps: string) => tag('--out', 'out.ndjson', '--checkpoint', steps);
    const first = start([...given('one'), '-'], { cwd: folder });
    const [record, ...more] = toyRecords(3, false);
    first.child.stdin!.write(`${record}\n`);
    while (!existsSync(at('.out.ndjson.lock'))) await pause();
    const second = await tagstream([...given('two'), 'other.ndjson'], { cwd: folder });
    expect(second.stderr).toMatch(/out\.ndjson: process \d+ on .* is using the file/);
    expect(second.code).toBe(1);
    first.child.stdin!.end(`${more.join('\n')}\n`);
    expect(await first.closed).toMatchObject({ code: 0 });
    expect(readFileSync(at('out.ndjson'), 'utf8').trim().split('\n')).toHaveLength(3);
    expect(readdirSync(folder).filter(name => /lock|part/.test(name))).toEqual([]);
    expect(await tagstream([...given('two'), 'other.ndjson'], { cwd: folder })).toMatchObject({
      code: 0,
    });
  });

  for (const { rows, tags } of everyNth(2, ['1', '2'])) {
    it.each(rows)(
      'of dead letters: the second is refused, in %s workers',
      { tags },
      async workers => {
        const given = [...tag('--dead-letter', 'bad.ndjson', '--workers', workers)];
        const first = start([...given, '-'], { cwd: folder });
        first.child.stdin!.write('{"tokens": 5}\n');
        while (!existsSync(at('.bad.ndjson.lock'))) await pause();
        const second = await tagstream([...given, 'other.ndjson'], { cwd: folder });
        expect(second).toMatchObject({ code: 1, stdout: '' });
        expect(second.stderr).toMatch(/bad\.ndjson: process \d+ on .* is using the file/);
        first.child.stdin!.end('');
        // Every record was rejected.
        expect(await first.closed).toMatchObject({ code: 1 });
        expect(existsSync(at('.bad.ndjson.lock'))).toBe(false);
      },
    );
  }
});
