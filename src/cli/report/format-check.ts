import type { CheckResult } from '../../pipeline/checks/check-result.js';
import type { Check } from '../../pipeline/definition/check-options.js';
import { visible } from '../../text/visible.js';

/**
 * A check as lines of text: a failure with what was expected and what was got, side by side.
 *
 * @example
 * formatCheck({ name: 'a name', passed: true }, 'a.yaml') // => 'ok    a name\n'
 */
export function formatCheck(result: CheckResult, file: string): string {
  const { name, passed, line, problem } = result;
  const oneLine = visible(name.replace(/\s+/g, ' '));
  if (passed) return `ok    ${oneLine}${scoresOf(result)}\n`;
  const lines = [`FAIL  ${oneLine}  (${file}${line === undefined ? '' : `:${line}`})`];
  if (problem !== undefined) lines.push(`      ${problem}`);
  lines.push(...tagRows(result), ...spanRows(result), ...scoreRows(result));
  return `${lines.join('\n')}\n`;
}

function scoresOf({ scores = [] }: CheckResult): string {
  const parts = scores.map(({ score, got }) => `${score} ${(got ?? 0).toFixed(2)}`);
  return parts.length === 0 ? '' : `  (${parts.join(', ')})`;
}

/** All tokens with both tags; a mark where they differ. */
function tagRows({ tokens = [], tags }: CheckResult): string[] {
  if (tags === undefined || same(tags.expected, tags.got)) return [];
  const { expected, got } = tags;
  const rows = Array.from({ length: Math.max(tokens.length, expected.length) }, (_, t) => [
    expected[t] === got[t] ? ' ' : '>',
    visible(tokens[t] ?? ''),
    visible(expected[t] ?? '(none)'),
    visible(got[t] ?? ''),
  ]);
  const all = [[' ', 'token', 'expected', 'got'], ...rows];
  const widths = [1, 2].map(column => Math.max(...all.map(row => row[column]!.length)));
  return all.map(
    ([mark, token, wanted, found]) =>
      `    ${mark} ${token!.padEnd(widths[0]!)}  ${wanted!.padEnd(widths[1]!)}  ${found}`,
  );
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function spanRows({ spans }: CheckResult): string[] {
  if (spans === undefined) return [];
  const show = (list: readonly NonNullable<Check['spans']>[number][]) =>
    list.length === 0 ? 'none' : list.map(shownSpan).join(', ');
  return [
    `      expected spans: ${show(spans.expected)}`,
    `      got:            ${show(spans.got)}`,
  ];
}

function shownSpan({ label, text, start, end }: NonNullable<Check['spans']>[number]): string {
  const range = start === undefined && end === undefined ? '' : ` [${start ?? ''}-${end ?? ''}]`;
  return `${label}${text === undefined ? '' : ` ${JSON.stringify(text)}`}${range}`;
}

function scoreRows({ scores = [] }: CheckResult): string[] {
  return scores.map(({ score, minimum, got }) => {
    if (got === undefined) return `    > ${score}: the tags of the model mark no spans`;
    return `    ${got < minimum ? '>' : ' '} ${score} ${got.toFixed(2)}, at least ${minimum}`;
  });
}
