import { TagstreamError } from '../../core/errors.js';
import type { TemplateSet } from './parse-templates.js';
import { isNumber, numberText, type Piece, type Template } from './template.js';

/** Templates of a model, and the model's name in errors. */
export interface NamedTemplates {
  readonly source: string;
  readonly templates: TemplateSet;
}

/**
 * Returns the union of template sets as text, with each template once, in order; a bare `*` becomes
 * `U` and `B`.
 *
 * A feature consists of its template's text and its macros' values, so templates with the same text
 * make the same features: if two sets had different macros for a text, their features would be
 * merged.
 *
 * @throws TagstreamError `template` that names two such templates
 */
export function unitedTemplates(sets: readonly NamedTemplates[]): string {
  const lines = new Set<string>();
  const owners = new Map<string, { readonly source: string; readonly lines: readonly string[] }>();
  for (const { source, templates: set } of sets) {
    for (const [text, own] of linesByText(set)) {
      const other = owners.get(text);
      if (other === undefined) owners.set(text, { source, lines: own });
      else requireEqual(other, { source, lines: own });
      for (const line of own) lines.add(line);
    }
  }
  if (sets.some(({ templates }) => templates.transitions)) lines.add('B');
  return [...lines].join('\n');
}

/** Returns the lines of a set by the common text of their features. */
function linesByText({ templates }: TemplateSet): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const template of templates) {
    const text = JSON.stringify(template.pieces.map(textOf));
    const own = lines.get(text) ?? [];
    lines.set(text, [...own, lineOf(template, own)]);
  }
  for (const own of lines.values()) own.sort();
  return lines;
}

/**
 * Returns the line of a template; a bare `*` also requests transitions, which are requested
 * separately.
 */
function lineOf({ source }: Template, others: readonly string[]): string {
  const line = source === '*' ? 'U' : source;
  return others.includes(line) ? '*' : line;
}

/** Returns a literal text as hashed; it never contains values of macros. */
function textOf(piece: Piece): string | null {
  if (typeof piece === 'string') return piece;
  return isNumber(piece) ? numberText(piece) : null;
}

interface OwnedLines {
  readonly source: string;
  readonly lines: readonly string[];
}

function requireEqual(one: OwnedLines, other: OwnedLines): void {
  const [a, b] = [one, other].map(({ lines }) => lines.join(' and '));
  if (a === b) return;
  throw new TagstreamError(
    'template',
    `${a} of ${one.source} and ${b} of ${other.source} give different things the same feature`,
    { fix: 'rename the templates of one of them, such as U00: to U90:, and train it again' },
  );
}
