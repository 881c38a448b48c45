// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { versionId } from '../../../src/engine/interfaces/model-address.js';
import { contentDigest } from '../../../src/formats/files/node-parts.js';
import { readBytes } from '../../../src/formats/reading/read-bytes.js';
import { root } from '../../cli/commands/run-command.js';
import { EmptyFolder, type Printed } from '../../house/docs/empty-folder.js';
import { readPage, shellLines } from '../../house/docs/page.js';
import { describeNats, natsServers } from '../server.js';

const page = readPage(root, 'src/nats/models.md');
const [section = ''] = /\n## Models\n[\s\S]*?(?=\n## |$(?![\s\S]))/.exec(page.text) ?? [];
const blocks = page.blocks.filter(({ code }) => section.includes(code));

describeNats('the page of models', () => {
  const servers = natsServers();
  const folder = new EmptyFolder(root);
  afterAll(() => folder.remove());
  const printed = new Map<string, Printed>();

  beforeAll(() => {
    folder.write({ ...page, blocks });
    writeFileSync(join(folder.path, 'nats.yaml'), `servers: ${servers().url}\n`);
  });

  it.each(shellLines({ ...page, blocks }))('%s', async line => {
    const variables = 'export TAGSTREAM_NATS=nats.yaml TAGSTREAM_CACHE=cache';
    printed.set(line, await folder.sh(`${variables}; ${line}`));
  });

  it('ends with the first version', async () => {
    const of = (part: string) => [...printed].find(([line]) => line.includes(part))![1].stdout;
    const id = versionId(contentDigest([readBytes(join(folder.path, 'production.model'))]));
    expect(of('rollback')).toBe(`ner@production is version 1 (${id})\n`);
    expect(JSON.parse(of('echo'))).toMatchObject({ tags: ['B-PER', 'O'], _model: id });
    expect(of('models list')).toMatch(/^ner\n {2}1 .*five passes\n {2}2 .*@production\n$/);
  });
});
