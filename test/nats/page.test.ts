// @module-tag slow
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../cli/commands/run-command.js';
import { EmptyFolder, type Printed } from '../house/docs/empty-folder.js';
import { readPage, shellLines } from '../house/docs/page.js';
import { describeNats, freePorts } from './server.js';

const page = readPage(root, 'src/nats/streams.md');
const [section = ''] = /\n## A first cluster\n[\s\S]*?(?=\n## )/.exec(page.text) ?? [];

/** Ports of the page. */
const written = ['4222', '4223', '4224', '6222', '6223', '6224'];

describeNats('the first cluster of the page', () => {
  const folder = new EmptyFolder(root);
  const printed: Printed[] = [];
  const lines = shellLines({
    ...page,
    blocks: page.blocks.filter(({ code }) => section.includes(code)),
  });

  beforeAll(async () => {
    const free = await freePorts(written.length);
    const moved = (code: string) =>
      written.reduce((text, port, i) => text.replaceAll(`:${port}`, `:${free[i]}`), code);
    folder.write(readPage(root, 'src/nats/models.md'));
    folder.write({
      ...page,
      blocks: page.blocks.map(block => ({ ...block, code: moved(block.code) })),
    });
    folder.write({
      ...page,
      blocks: [{ language: 'yaml', name: 'nats.yaml', code: `servers: 127.0.0.1:${free[0]}\n` }],
    });
  });
  afterAll(() => {
    // The servers and taggers that the lines have started.
    for (const id of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        if (readlinkSync(`/proc/${id}/cwd`) === folder.path) process.kill(Number(id), 'SIGKILL');
      } catch {
        // It is gone, or none of ours.
      }
    }
    folder.remove();
  });

  it.each(lines)('%s', async line => {
    const variables = 'export TAGSTREAM_NATS=nats.yaml TAGSTREAM_CACHE=cache';
    printed.push(await folder.sh(`${variables}; ${line}`));
  });

  it('has each record tagged once, by a model of the registry', () => {
    const verified = printed[lines.findIndex(line => line.includes('verify'))]!;
    expect(verified.stdout).toContain('each record occurs once');
    const results = printed.at(-1)!.stdout.trimEnd().split('\n');
    const records = results.map(
      line => JSON.parse(line) as { id: number; tags: string[]; _model: string },
    );
    expect(records.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
    expect(records.every(({ _model }) => /^[0-9a-f]{12}$/.test(_model))).toBe(true);
    expect(readFileSync(`${folder.path}/first.log`, 'utf8')).not.toMatch(/error/i);
  });
});
