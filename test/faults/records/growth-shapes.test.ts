import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../src/engine/features/template/parse-macro.js';
import { characterTokenizer } from '../../../src/engine/text/tokenizers/character-tokenizer.js';
import { regexTokenizer } from '../../../src/engine/text/tokenizers/regex-tokenizer.js';
import type { Tokenizer } from '../../../src/engine/text/tokenizers/tokenizer.js';
import { treebankTokenizer } from '../../../src/engine/text/tokenizers/treebank-tokenizer.js';
import { unicodeTokenizer } from '../../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { whitespaceTokenizer } from '../../../src/engine/text/tokenizers/whitespace-tokenizer.js';
import { start } from '../../cli/commands/start-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { everyNth } from '../../house/long-forms.js';
import { longForm } from '../long-form.js';

/** What is repeated, and what comes at its end. */
const units = [
  ...'aA1é中_-.,:;!?@/\'"’“()[]<>&+*=~$%#\\|^`{} \t\n',
  ...['\u00a0', '\u00ad', '\u200d', '\u0301', '😀', '🇫', '👍🏽', '❤\ufe0f', '\ud83d', '\ude00'],
  ...[
    'ab ',
    'a.',
    'a-',
    "a'",
    "n't",
    "n't ",
    "'s",
    'a@',
    '1.',
    '1,',
    '1/',
    'U.S.',
    'Mr. ',
    'No. ',
    'http://',
  ],
];
const ends = ['', 'a', '!', '@a.b'];
const shapes = units.flatMap(unit => ends.map(end => [unit, end] as const));

/** Patterns for which backtracking takes for ever, or the square of the length, and more. */
const patterns = [
  '(a+)+b|.',
  '(?:a|a)*$|\\S',
  '(?:\\w|[^ ])*;|\\S',
  '[a-z]+@|\\S',
  '\\S+(?=;)|\\S',
  '\\s*\\S*\\s*\\S*\\s*#',
  '(?:[^,]*,)*?[^,]*#|.',
  '(?:a?){30}a{30}|.',
  '(?<=(?:a|aa)+b)c|\\p{L}+|\\S',
  '^(?:.|[\\s\\S])*b$|.',
  "(?:(?:\\p{L}\\p{M}*)+[-.']?)+@|\\S",
  '\\b(?:\\w+\\s?)+\\b#|.',
];

const builtIn: readonly (readonly [string, Tokenizer])[] = [
  ['regex', regexTokenizer()],
  ['treebank', treebankTokenizer()],
  ['whitespace', whitespaceTokenizer()],
];
/** Those by the rules of Unicode, which are not ours and take their time. */
const segmenting: typeof builtIn = [
  ['unicode', unicodeTokenizer()],
  ['characters', characterTokenizer()],
];
const own = patterns.map(pattern => [pattern, regexTokenizer({ pattern })] as const);
const templates = patterns.map(pattern => {
  const compiled = compilePattern(pattern);
  const apply = (text: string) => `${compiled.test(text)} ${compiled.match(text)}`;
  return [`%m ${pattern}`, apply] as const;
});

const [small, factor] = [2000, 32];
const allowance = 16 * factor;
const chosen = shapes.filter((_, i) => longForm || i % 17 === 0);

function grown([unit, end]: readonly [string, string], length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)) + end;
}

function milliseconds(work: (text: string) => unknown, text: string): number {
  const begin = performance.now();
  work(text);
  return performance.now() - begin;
}

/**
 * Whether some work grows as the text does, with a large allowance for a busy machine: the square of the length
 * would be 32 times as much again.
 */
function isLinear(work: (text: string) => unknown, shape: readonly [string, string]): boolean {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const many = milliseconds(work, grown(shape, small * factor));
    if (many < allowance) return true;
    const few = Math.min(...[0, 1, 2].map(() => milliseconds(work, grown(shape, small))));
    if (many < few * allowance) return true;
  }
  return false;
}

describe('texts that grow in one shape', () => {
  for (const { rows, tags } of everyNth(8, [
    ...builtIn,
    ...(longForm ? segmenting : []),
    ...own,
    ...templates,
  ])) {
    it.each(rows)('take linear time: %s', { tags }, (_, work) => {
      expect(chosen.filter(shape => !isLinear(work, shape))).toEqual([]);
    });
  }
});

describe('a model with a token pattern that would backtrack for ever', () => {
  const folder = workspace();

  it('tags, in one thread and in workers', { tags: 'slow' }, async () => {
    const pipeline = toyPipeline(folder).replace('toy.yaml', 'pattern.yaml');
    const text = `version: 1
name: pattern
source: { ndjson: { files: [train.ndjson] } }
stages:
  - tokenize: { pattern: "(a+)+b|[ac]" }
  - featurize: { templates: ["U00:%x[0,0]", 'U01:%t[0,0,"^(a+)+$"]'] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
train: { epochs: 1, seed: 7 }
model: pattern.model
`;
    writeFileSync(pipeline, text);
    await trainHere(pipeline);
    const record = { tokens: [`${'a'.repeat(40)}c`] };
    const lines = [{ text: `${'a'.repeat(40)}c` }, record].map(each => JSON.stringify(each));
    const input = join(folder, 'pattern.ndjson');
    writeFileSync(input, `${lines.join('\n')}\n`);
    const outputs = [1, 2].map(async workers => {
      const run = start([
        'tag',
        '--model',
        join(folder, 'pattern.model'),
        '--workers',
        String(workers),
        input,
      ]);
      const { code, stdout } = await run.closed;
      return {
        code,
        tags: stdout
          .split('\n')
          .slice(0, -1)
          .map(line => JSON.parse(line).tags.length),
      };
    });
    for (const output of await Promise.all(outputs))
      expect(output).toEqual({ code: 0, tags: [41, 1] });
  });
});
