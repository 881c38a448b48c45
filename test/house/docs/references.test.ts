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

  it('pipelines/README.md is what the catalogue says', async () => {
    expect(read('pipelines/README.md')).toBe(await pipelineReference(dist));
  });
});
