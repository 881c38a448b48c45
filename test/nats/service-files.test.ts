import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '../cli/commands/run-command.js';
import { readPage } from '../house/docs/page.js';

const page = readPage(root, 'src/nats/service.md');
const first = readPage(root, 'src/nats/streams.md');
const block = (name: string) => page.blocks.find(each => each.name === name)!.code;

interface Compose {
  readonly services: Readonly<
    Record<string, { readonly command: string; readonly depends_on?: string[] }>
  >;
}

describe('the files for services', () => {
  it('start the same command, which a signal gives time to finish', () => {
    const unit = block('tagger.service');
    const { services } = parse(block('compose.yaml')) as Compose;
    const { command, depends_on: needed } = services.tagger!;
    expect(unit).toContain(`ExecStart=/usr/bin/${command}\n`);
    expect(unit).toMatch(/^TimeoutStopSec=45$/m);
    expect(block('compose.yaml')).toContain('stop_grace_period: 45s');
    expect(needed).toEqual(['nats']);
    expect(services.nats!.command).toMatch(/^-js /);
    expect(first.blocks.some(({ name }) => name === 'tag.yaml')).toBe(true);
  });
});
