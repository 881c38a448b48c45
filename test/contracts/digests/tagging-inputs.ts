import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../cli/commands/run-command.js';

interface StarterRecord {
  readonly text: string;
  readonly tokens: readonly string[];
  readonly columns: { readonly upos: readonly string[] };
  readonly tags: readonly string[];
}

/** Records of each format that are tagged. */
export const count = 2000;

const starter = readFileSync(join(root, 'corpora/starter/train.ndjson'), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line) as StarterRecord);

/** Each time round the corpus, words move on by one more sentence, so that no record comes twice. */
function record(i: number): StarterRecord & { readonly id: number } {
  const first = starter[i % starter.length]!;
  const round = Math.floor(i / starter.length);
  if (round === 0) return { ...first, id: i };
  const second = starter[(i + round) % starter.length]!;
  return {
    id: i,
    text: `${first.text} ${second.text}`,
    tokens: [...first.tokens, ...second.tokens],
    columns: { upos: [...first.columns.upos, ...second.columns.upos] },
    tags: [...first.tags, ...second.tags],
  };
}

type Line = (given: ReturnType<typeof record>) => string;

const lines: Readonly<Record<string, Line>> = {
  'text.ndjson': ({ id, text }) => JSON.stringify({ id, note: { size: 1 }, text }),
  'tokens.ndjson': ({ id, tokens, columns }) => JSON.stringify({ id, tokens, columns }),
  // Every seventh record asks something of its labels, every fifth is no record or has gold tags.
  'mixed.ndjson': ({ id, text, tokens, columns, tags }) => {
    if (id % 5 === 1) return '{"tokens": [';
    if (id % 5 === 2) return JSON.stringify({ tokens, columns, tags, weight: 2 });
    const constraints = id % 7 === 0 ? { constraints: { 0: ['B-PER'] } } : {};
    return JSON.stringify(id % 2 === 0 ? { text, ...constraints } : { id, tokens, ...constraints });
  },
  'rows.conll': ({ tokens, columns, tags }) =>
    tokens.map((token, t) => `${token}\t${columns.upos[t]}\t${tags[t]}\n`).join(''),
  'rows.conllu': ({ id, tokens, columns }) =>
    `# sent_id = ${id}\n${tokens
      .map((token, t) => `${t + 1}\t${token}\t_\t${columns.upos[t]}\t_\t_\t_\t_\t_\t_\n`)
      .join('')}`,
  'words.letters': ({ tokens, id }) => {
    const word = tokens[id % tokens.length]!.replace(/\W/g, '').toLowerCase() || 'x';
    return `${word}\t${word.replace(/[aeiou]/g, 'V').replace(/[^V]/g, 'C')}\t${'0'.repeat(word.length)}\t0`;
  },
};

/** Writes 2,000 records of each format into a folder. */
export function writeTaggingInputs(folder: string): void {
  for (const [name, line] of Object.entries(lines)) {
    const all = Array.from({ length: count }, (_, i) => `${line(record(i))}\n`);
    writeFileSync(join(folder, name), all.join(''));
  }
  writeFileSync(join(folder, 'words.dict'), 'the\tO\nMilo\tB-PER B-ORG\nLena\tB-PER\ny\tV C\n');
  for (const [name, text] of Object.entries(pipelines)) writeFileSync(join(folder, name), text);
}

/** Pipelines whose models tag them, small enough to be trained in a second. */
const pipelines = {
  'spans.yaml': `version: 1
name: spans
source: { ndjson: { files: [${join(root, 'corpora/starter/train.ndjson')}] } }
stages:
  - tokenize: {}
  - featurize: { preset: ner }
  - batch: { sentences: 1 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.05 } }
train: { epochs: 2, seed: 3, compact: false }
model: spans.model
`,
  'letters.yaml': `version: 1
name: letters
source: { letters: { files: [words.letters] } }
stages:
  - tokenize: { tokenizer: characters, sentences: false }
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "B", "B00:%x[0,0]"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd-l1: { eta0: 0.2, l1: 0.05 } }
train: { epochs: 1, seed: 3 }
model: letters.model
`,
};
