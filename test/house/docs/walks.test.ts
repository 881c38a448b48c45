// @module-tag slow
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmptyFolder, type Printed } from './empty-folder.js';
import { readPage, shellLines } from './page.js';

const root = resolve(import.meta.dirname, '../../..');

/** What the lines of a page print, by how they begin. */
const walks = [
  {
    file: 'pipelines/best-model.md',
    prints: [['tagstream eval', /precision[\s\S]*LOC/]],
  },
  {
    file: 'pipelines/gazetteers.md',
    prints: [
      ['echo', /"label":"LOC",[^}]*"text":"St\. John's"/],
      ['echo', /"label":"LOC",[^}]*"text":"BERGEN"/],
      ['tagstream inspect', /Bergen {2}B-LOC[\s\S]*gazetteer:places/],
    ],
  },
  {
    file: 'pipelines/universal-dependencies.md',
    prints: [
      [
        'tagstream tag',
        /# newdoc\n# newpar\n# sent_id = 0-1\n# text = Dr\. Anna doesn't like the dog\.\n[\s\S]*\n3-4\tdoesn't\t_[\s\S]*# newpar/,
      ],
      ['echo', /"sentences":\[\[0,5\],\[5,11\]\]/],
      [
        'tagstream eval',
        /tokens +100\.00[\s\S]*sentences +100\.00[\s\S]*words +100\.00[\s\S]*upos +\d/,
      ],
      [
        'tagstream tokenize --tokenizer spans',
        /"tokens":\["他們","喜歡","圖書館","。","我","看","書","。"\]/,
      ],
      [
        'tagstream tag --model words.model',
        /\n1\t他們\t_\tPRON\t.*\tSpaceAfter=No\n2\t喜歡\t_\tVERB[\s\S]*# text = 我看書。\n1\t我/,
      ],
      ['node letter.mjs', /^2 Dr\. 9-12 NOUN\n/],
      ['node letters.mjs', /^PROPN VERB DET NOUN NOUN\n/],
    ],
  },
  {
    file: 'pipelines/drift.md',
    prints: [['node drift.mjs', /accuracy fell to .*; the weights begin again .*\n1\n/]],
  },
  {
    file: 'pipelines/challengers.md',
    prints: [['tagstream inspect', /features +55 /]],
  },
  {
    file: 'pipelines/rules.md',
    prints: [
      ['echo', /"label":"ORG",[^}]*"text":"Foo Ltd\."/],
      ['echo', /"label":"LOC",[^}]*"text":"Lake Erie"/],
      ['tagstream inspect', /rule: suggest PER by 3 \(rules\.yaml:4\)/],
      ['tagstream inspect', /rule: set LOC \(rules\.yaml:1\)/],
      ['tagstream inspect', /without rules: /],
      ['tagstream run', /"label":"LOC",[^}]*"text":"Lake Erie"/],
      ['node rules.mjs', /ORG Bar Inc\., LOC Lake Erie\nB-PER O O\n/],
    ],
  },
] as const;

describe.each(walks)('$file', ({ file, prints }) => {
  const page = readPage(root, file);
  const folder = new EmptyFolder(root);
  const results = new Map<string, Printed>();
  beforeAll(() => folder.write(page));
  afterAll(() => folder.remove());

  it.each(shellLines(page))('%s', async line => {
    results.set(line, await folder.run(line));
  });

  it('shows what its commands do', () => {
    for (const [start, expected] of prints) {
      const line = shellLines(page).find(each => each.startsWith(start))!;
      expect(results.get(line)!.stdout).toMatch(expected);
    }
  });

  it('is pointed to by the index of guides', () => {
    const index = readPage(root, 'pipelines/guides.md').text;
    expect(index).toContain(`(${file.replace('pipelines/', '')})`);
  });
});
