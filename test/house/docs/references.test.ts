import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import * as entry from '../../../src/index.js';
import { builtIn } from '../../../src/runtime/pipeline/loading/catalogue.js';
import * as library from '../entries/library.js';
import { Anchors } from './anchors.mjs';
import { apiReference, apiReport } from './api-reference.mjs';
import { pipelineReference } from './pipeline-reference.mjs';

const root = resolve(import.meta.dirname, '../../..');
const dist = resolve(root, 'dist');
const read = (page: string) => readFileSync(resolve(root, page), 'utf8');

const withoutCode = (page: string) => page.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The names of the headings of a page in links. */
function headingsOf(page: string): Set<string> {
  const anchors = new Anchors();
  const headings = withoutCode(page).matchAll(/^#{1,6} (.*)$/gm);
  return new Set([...headings].map(match => anchors.of(match[1]!)));
}

/** Links of a page to files of the project and to headings. */
function linksOf(page: string): string[] {
  const links = withoutCode(page)
    .replaceAll(/`[^`\n]*`/g, '')
    .matchAll(/\]\(([^()\s]+)\)/g);
  return [...links].map(match => match[1]!).filter(link => !/^[a-z]+:/.test(link));
}

describe('the pages made from the code (npm run docs writes them anew)', () => {
  it('src/entries/API.md is what the docstrings say', () => {
    expect(read('src/entries/API.md')).toBe(apiReference(root));
  });

  it('src/entries/api-report.md is what the package exports: a change of it is one of the interface', () => {
    const report = read('src/entries/api-report.md');
    const wanted = apiReport(root);
    if (report === wanted) return;
    const lines = new Set(report.split('\n'));
    const other = wanted.split('\n').filter(line => !lines.has(line));
    throw new Error(
      `the interface has changed: run npm run docs, and look at the diff\n${other.join('\n')}`,
    );
  });

  it('the root has no more than 40 values', () => {
    expect(Object.keys(entry).length).toBeLessThanOrEqual(40);
    expect(read('src/entries/api-report.md')).toContain(`${Object.keys(entry).length} values, `);
  });

  it('src/entries/API.md has every export', () => {
    const page = read('src/entries/API.md');
    const missing = Object.keys(library).filter(name => !page.includes(`\n### ${name}\n`));
    expect(missing).toEqual([]);
  });

  it('links of all pages lead to files and headings that there are', () => {
    const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' });
    const pages = listed.trim().split('\n');
    const anchors = new Map(pages.map(page => [page, headingsOf(read(page))]));
    const dead = pages.flatMap(page =>
      linksOf(read(page))
        .filter(link => {
          const [file, heading] = link.split('#') as [string, string?];
          const target = file === '' ? page : join(dirname(page), file);
          if (!existsSync(resolve(root, target))) return true;
          return heading !== undefined && anchors.get(target)?.has(heading) !== true;
        })
        .map(link => `${page}: ${link}`),
    );
    expect(pages.length).toBeGreaterThan(20);
    expect(dead).toEqual([]);
  });

  it('src/entries/API.md has the members that a class inherits', () => {
    const page = read('src/entries/API.md');
    const section = (name: string) => page.split(`\n### ${name}\n`)[1]!.split('\n### ')[0]!;
    const inherited = /^Inherits from .*\.$/m.exec(section('BatchLearner'))![0];
    for (const name of ['apply', 'separated']) expect(inherited).toContain(`\`${name}\``);
    expect(inherited).not.toContain('`iterate`');
    expect(section('ExponentialLoss')).toContain('get bound(): number;');
    expect(section('TagstreamError')).not.toContain('Inherits from');
  });

  it('pipelines/README.md is what the catalogue says', { tags: 'slow' }, async () => {
    expect(read('pipelines/README.md')).toBe(await pipelineReference(dist));
  });

  it('pipelines/README.md names every option of every component in its section, and prints shared ones once', {
    tags: 'slow',
  }, async () => {
    const page = read('pipelines/README.md');
    const chapterOf = (title: string) => page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
    const chapters = [
      ['Sources', builtIn.sources.items],
      ['Stages', builtIn.stages],
      ['Optimizers', builtIn.optimizers.items],
      ['Batch optimizers', builtIn.trainers],
    ] as const;
    let options = 0;
    for (const [title, components] of chapters) {
      for (const component of components) {
        const section = chapterOf(title).split(`\n### ${component.name}\n`)[1]!.split('\n### ')[0]!;
        const { properties = {} } = z.toJSONSchema(component.options, {
          io: 'input',
          unrepresentable: 'any',
        });
        for (const name of Object.keys(properties)) expect(section).toContain(`\`${name}\``);
        options += Object.keys(properties).length;
      }
    }
    expect(options).toBeGreaterThan(100);
    for (const name of ['budget', 'budgetBytes', 'limit', 'maxTokens', 'misaligned']) {
      expect(chapterOf('Sources').split(`\n| \`${name}\` |`)).toHaveLength(2);
    }
    expect(chapterOf('Batch optimizers').split('\n| `decrease` |')).toHaveLength(2);
    const optimize = chapterOf('Stages').split('\n### optimize\n')[1]!.split('\n### ')[0]!;
    expect(optimize).toContain('[`perceptron`](#perceptron-1)');
    expect(optimize).not.toContain('| option |');
  });
});
