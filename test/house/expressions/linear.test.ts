import pLimit from 'p-limit';
import { check } from 'recheck';
import { describe, expect, it } from 'vitest';
import { lineEndInRecord } from '../../../src/formats/codecs/text/text-codec.js';
import { type Attack, attacksOn, type Expression, expressionsOfSources } from './expressions.js';

const { literals, building } = expressionsOfSources();

/** Matches a JSON list in a list or an object, as `json-document-lines.ts` does. */
const list = String.raw`"(?:[^"\\]|\\.)*"\s*:\s*(?:\[|\{\s*"0"\s*:)\s*\[\s*"`;

/** Examples of the expressions that each file builds; none of those that are the user's own, or of letters only. */
const built: Readonly<Record<string, readonly string[]>> = {
  'annotation/learning/span-rules.ts': [],
  'cli/inspect/inspect-file.ts': [],
  'engine/core/secrets.ts': [String.raw`(?<![\w])a\-b(?![\w])`, 'hunter2hunter2'],
  'formats/codecs/ndjson/json-document-lines.ts': [
    String.raw`"(?:tokens|words)"\s*:\s*\[\s*"`,
    String.raw`^\{\s*${list}`,
    String.raw`[{,\]]\s*${list}`,
  ],
  'formats/codecs/slash/slash-codec.ts': [String.raw`(?:[ \t\r\n]|\/)+|^$`],
  'formats/codecs/text/text-codec.ts': [`${lineEndInRecord}\uFEFF*`],
  'engine/interfaces/model-address.ts': ['^[A-Za-z0-9_-]{1,200}$'],
  'runtime/io/vectors/json-vectors.ts': [String.raw`"dimensions"\s*:\s*(\d+)`],
  'engine/kernels/simd/embedding/both-precisions.mjs': [
    String.raw`export function name(?:<([^<>]*)>)?\(([^()]*)\): (\w+) \{`,
    String.raw`\b(?:T|U)\b`,
  ],
  'engine/models/inspection/inspect-model.ts': [],
  'engine/text/characters/character-columns.ts': [String.raw`^rule-?\d$`],
  // Patterns of users, which have a matcher of their own if they would backtrack.
  'engine/text/patterns/state-sets.ts': [],
  'engine/text/patterns/text-pattern.ts': [],
};

/** Limits by steps alone, since those by time depend on what else the machine does. */
const unhurried = {
  timeout: null,
  ...{ attackTimeout: null, incubationTimeout: null, seedingTimeout: null },
};

const expressions: readonly Expression[] = [
  ...literals,
  ...Object.entries(built).flatMap(([file, all]) =>
    all.map(source => ({ places: [file], source, flags: 'g' })),
  ),
];

describe('the regular expressions of the sources', () => {
  it('that are built at run time have examples here', () => {
    expect([...new Set(building)].sort()).toEqual(Object.keys(built).sort());
  });

  it('take linear time for every text, as an analysis of their automata and a search show', {
    tags: 'slow',
    timeout: 1_800_000,
  }, async () => {
    const some = pLimit(4);
    const answers = await Promise.all(
      expressions.map(async ({ places, source, flags }) => {
        const answer = await some(() => check(source, flags, unhurried));
        if (answer.status === 'safe') return '';
        const why =
          answer.status === 'unknown'
            ? answer.error.kind
            : `${answer.complexity.summary}, by ${answer.attack.pattern}`;
        return `${places.join(' ')}: /${source}/${flags}: ${why}`;
      }),
    );
    expect(answers.filter(answer => answer !== '')).toEqual([]);
  });

  it('take time in proportion to texts of 1,000 to 1,000,000 characters', () => {
    const slow = expressions.flatMap(expression => {
      const attack = attackThatSlows(expression);
      const { places, source, flags } = expression;
      return attack === undefined
        ? []
        : [`${places.join(' ')}: /${source}/${flags}: ${JSON.stringify(attack)}`];
    });
    expect(slow).toEqual([]);
  });

  it.each([
    ['[\\r\\n]+$', ''],
    ['^(?:a+)+$', ''],
    ['([a-z][a-z0-9+.-]*://)', 'gi'],
    ['\\s*/\\s*', ''],
  ])('are told from /%s/%s, which is not linear', async (source, flags) => {
    expect((await check(source, flags, unhurried)).status).toBe('vulnerable');
    if (source.startsWith('^')) return;
    expect(attackThatSlows({ source, flags })).toBeDefined();
  });
});

/** How much longer a text of ten times the length may take: a square takes a hundred times as long. */
const mostGrowth = 30;

/** Milliseconds below which times are not compared. */
const unmeasured = 0.3;

/** Returns a text for whose length an expression takes more than proportional time. */
function attackThatSlows({ source, flags }: Omit<Expression, 'places'>): Attack | undefined {
  const expression = new RegExp(source, flags);
  let slowest: Attack | undefined;
  let longest = 0;
  for (const attack of attacksOn({ source })) {
    const time = timeOfGrown(expression, attack, [1e3, 1e4, 1e5]);
    if (time === undefined) return attack;
    if (time > longest) [slowest, longest] = [attack, time];
  }
  const isLinear = slowest === undefined || timeOfGrown(expression, slowest, [1e5, 1e6]);
  return isLinear ? undefined : slowest;
}

/** Returns the time that the longest text takes; undefined if the times grow faster than the lengths, whenever they are taken. */
function timeOfGrown(
  expression: RegExp,
  attack: Attack,
  lengths: readonly number[],
): number | undefined {
  for (let tries = 0; tries < 5; tries += 1) {
    let [before, time] = [Number.POSITIVE_INFINITY, 0];
    const isLinear = lengths.every(length => {
      // An expression that refuses a text at once does so at any length.
      if (before < unmeasured / 100) return true;
      time = timeOf(expression, attack, length);
      const grows = time > Math.max(before, unmeasured) * mostGrowth;
      before = time;
      return !grows;
    });
    if (isLinear) return time;
  }
  return undefined;
}

/** Returns the milliseconds of processor time in which an expression finds all that it matches. */
function timeOf(expression: RegExp, { begin, repeated, end }: Attack, length: number): number {
  const text = begin + repeated.repeat(Math.ceil(length / repeated.length)) + end;
  const start = process.cpuUsage();
  expression.lastIndex = 0;
  // `test` makes no results, for which memory would have to be found.
  for (let at = 0; expression.test(text) && expression.global; at = expression.lastIndex) {
    if (expression.lastIndex === at) expression.lastIndex += 1;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
