import { TagstreamError } from '../../core/errors.js';
import type { TemplateSet } from './parse-templates.js';
import { isNumber, numberText, type Piece, type Template } from './template.js';

/** The templates of a model, and what errors call it. */
export interface NamedTemplates {
  readonly source: string;
  readonly templates: TemplateSet;
}

/**
 * The text of all templates of several sets, each once, in the order in which they come; a bare `*` becomes `U` and `B`.
 *
 * A feature is the text of its template with what the macros find, so templates whose text is the same make the same
 * features: where one set has other macros for a text than another, the features of both would be one.
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

/** The lines of a set by the text that their features have in common. */
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

/** The line of a template; a bare `*` asks for transitions too, which are asked for by themselves. */
function lineOf({ source }: Template, others: readonly string[]): string {
  const line = source === '*' ? 'U' : source;
  return others.includes(line) ? '*' : line;
}

/** Literal text as it is hashed; it never contains what a macro finds. */
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
