import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as rxjs from 'rxjs';
import { describe, expect, it } from 'vitest';
import * as library from '../entries/library.js';

const source = resolve(import.meta.dirname, '../../../src');

interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

const examples = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts'))
  .sort()
  .flatMap(examplesIn);

// Each `@example` is run as it stands, with the names of all entries, of its own module and of rxjs;
// a line `expression // => value` asserts the value.
describe('docstring examples', () => {
  it.each(examples)('$file:$line', async ({ file, code }) => {
    const own = (await import(join(source, file))) as Record<string, unknown>;
    // Of equal names the public one counts: `sgd` is the factory, not the component.
    const names = { ...rxjs, ...own, ...library };
    const { body, assertions } = asserting(code);
    expect(assertions).toBeGreaterThan(0);
    const run = new Function(
      ...Object.keys(names),
      'expect',
      `return (async () => {\n${body}\n})();`,
    );
    await run(...Object.values(names), expect);
  });
});

function examplesIn(file: string): Example[] {
  const text = readFileSync(join(source, file), 'utf8');
  const found: Example[] = [];
  for (const comment of text.matchAll(/\/\*\*[\s\S]*?\*\//g)) {
    const lines = comment[0].split('\n').map(line => line.replace(/^\s*\* ?/, ''));
    const start = lines.findIndex(line => line.startsWith('@example'));
    if (start < 0) continue;
    const rest = lines.slice(start + 1, -1);
    const next = rest.findIndex(line => line.startsWith('@'));
    const code = (next < 0 ? rest : rest.slice(0, next)).join('\n');
    const line = text.slice(0, comment.index).split('\n').length + start;
    found.push({ file, line, code });
  }
  return found;
}

/** The code with each `expression // => value` made an assertion. */
function asserting(code: string): { body: string; assertions: number } {
  let assertions = 0;
  const joined = code.replace(/\n\/\/ => /g, ' // => ');
  const body = joined.split('\n').map(line => {
    const at = line.indexOf(' // => ');
    if (at < 0) return line;
    assertions += 1;
    const expression = line.slice(0, at).replace(/;\s*$/, '');
    return `expect(${expression}).toEqual(${line.slice(at + 7)});`;
  });
  return { body: body.join('\n'), assertions };
}
