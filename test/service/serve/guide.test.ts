import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveCommand } from '../../cli/commands/live-command.js';
import { EmptyFolder } from '../../house/docs/empty-folder.js';
import { readPage } from '../../house/docs/page.js';
import { namesModel } from './served.js';

const root = resolve(import.meta.dirname, '../../..');
const page = readPage(root, 'pipelines/serve.md');
const folder = new EmptyFolder(root);
const has = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
const block = (name: string) => page.blocks.find(each => each.name === name)!.code;

beforeAll(() => {
  folder.write(page);
  writeFileSync(join(folder.path, 'ner.model'), namesModel());
});
afterAll(() => folder.remove());

describe('pipelines/serve.md', () => {
  it('mounts the service in a program', async () => {
    expect((await folder.sh('node service.mjs')).stdout).toBe('PER Anna, LOC Oslo\n');
  });

  it.skipIf(!has('python3', '--version'))(
    'tags from Python, line by line',
    { tags: 'slow' },
    async () => {
      expect((await folder.sh('python3 by_lines.py')).stdout).toBe(
        "[('PER', 'Anna'), ('LOC', 'Oslo')]\n[('PER', 'Ben'), ('LOC', 'New York')]\n",
      );
    },
  );

  it.skipIf(!has('python3', '--version'))(
    'shows what the client, Python and curl run against a service',
    { tags: 'slow' },
    async () => {
      const command = new LiveCommand(['serve', 'ner=ner.model', '--port', '0'], {
        cwd: folder.path,
      });
      const listens = /serving ner on (http:\/\/[\d.:]+) /;
      await command.until(() => listens.test(command.stderr));
      const url = listens.exec(command.stderr)![1]!;
      const { stdout } = await folder.sh(`TAGGER=${url} python3 over_http.py`);
      expect(stdout).toBe("[('PER', 'Anna'), ('LOC', 'Oslo')]\n");
      expect((await folder.sh(`TAGGER=${url} node client.mjs`)).stdout).toBe(
        'PER Anna, LOC Oslo\nB-PER O B-LOC I-LOC\nB-PER\nusage: there is no model with this name\n',
      );
      const curl = /^ {4}(curl .*)$/m.exec(page.text)![1]!;
      if (has('curl', '--version')) {
        const line = curl.replace('http://127.0.0.1:8080', url).replace('curl', 'curl -s');
        expect((await folder.sh(line)).stdout).toContain('"label":"LOC"');
      }
      // The check of the container, with the port of this service.
      const check = /^HEALTHCHECK CMD (.*)$/m.exec(block('Containerfile'))![1]!;
      const [node, ...words] = JSON.parse(check.replace('http://127.0.0.1:8080', url)) as string[];
      expect(has(node!, ...words)).toBe(true);
      command.child.kill('SIGTERM');
      expect(await command.ended()).toBe(0);
      expect(has(node!, ...words)).toBe(false);
    },
  );

  it('has a container that runs without root the command that there is', () => {
    const lines = block('Containerfile').trim().split('\n');
    const user = lines.indexOf('USER node');
    expect(user).toBeGreaterThan(0);
    const [program, ...words] = JSON.parse(lines.at(-1)!.replace('CMD ', '')) as string[];
    expect([program, words[0]]).toEqual(['tagstream', 'serve']);
    const help = spawnSync(process.execPath, ['dist/cli/main.js', 'serve', '--help'], {
      cwd: root,
    });
    const unit = /^ExecStart=.* tagstream serve (.*)$/m.exec(block('tagstream.service'))![1]!;
    for (const option of [...words, ...unit.split(' ')].filter(word => word.startsWith('--'))) {
      expect(String(help.stdout)).toContain(option);
    }
  });

  it.skipIf(!has('systemd-analyze', '--version'))(
    'has a unit that systemd takes',
    { tags: 'slow' },
    () => {
      const file = join(folder.path, 'tagstream.service');
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file]);
      expect([status, String(stderr)]).toEqual([0, '']);
    },
  );
});
