import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from '../../../src/index.js';
import { apiReference } from './api-reference.mjs';
import { pipelineReference } from './pipeline-reference.mjs';

const root = resolve(import.meta.dirname, '../../..');
const dist = resolve(root, 'dist');
const read = (page: string) => readFileSync(resolve(root, page), 'utf8');

describe('the pages made from the code (npm run docs writes them anew)', () => {
  it('src/entries/API.md is what the docstrings say', () => {
    expect(read('src/entries/API.md')).toBe(apiReference(resolve(root, 'src'), dist));
  });

  it('src/entries/API.md has every export', () => {
    const page = read('src/entries/API.md');
    const missing = Object.keys(library).filter(name => !page.includes(`\n### ${name}\n`));
    expect(missing).toEqual([]);
  });

  it.each(['src/entries/API.md'])('links inside of %s lead to headings', file => {
    const page = read(file);
    const met = new Map<string, number>();
    const anchors = new Set<string>();
    for (const [, heading] of page.matchAll(/^#{1,6} (.*)$/gm)) {
      const anchor = heading!
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-');
      const times = met.get(anchor) ?? 0;
      met.set(anchor, times + 1);
      anchors.add(times === 0 ? anchor : `${anchor}-${times}`);
    }
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(match => match[1]!);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(link => !anchors.has(link))).toEqual([]);
  });

  it('src/entries/API.md has the members that a class inherits', () => {
    const page = read('src/entries/API.md');
    const section = (name: string) => page.split(`\n### ${name}\n`)[1]!.split('\n### ')[0]!;
    const tagger = section('Tagger');
    expect(tagger).toContain('class Tagger extends Tagger /* of models/tagger.ts */ {');
    const inherited = /^Inherits from .*\.$/m.exec(tagger)![0];
    for (const name of [
      'labels',
      'tag',
      'tagMany',
      'tagText',
      'analyze',
      'explain',
      'static fromBytes',
    ]) {
      expect(inherited).toContain(`\`${name}\``);
    }
    expect(inherited).not.toContain('`load`');
    expect(section('ExponentialLoss')).toContain('get bound(): number;');
    expect(section('TagstreamError')).not.toContain('Inherits from');
  });

  it('pipelines/README.md is what the catalogue says', async () => {
    expect(read('pipelines/README.md')).toBe(await pipelineReference(dist));
  });
});
