import { TagstreamError } from '../../core/errors.js';
import { parseMacro, type TextPlace } from './parse-macro.js';
import { isOfContext, type Piece, type Template } from './template.js';
import { noTokenFunctions, type TokenFunctions } from './token-function.js';

/** The content of a template file. */
export interface TemplateSet {
  readonly templates: readonly Template[];
  /** Whether a bare `B` (or `*`) line requests plain transitions. */
  readonly transitions: boolean;
  readonly source: string;
}

/**
 * Parses templates in the syntax of CRF++ and Wapiti.
 *
 * `U...` makes features of tokens, `B...` of transitions, `*...` of both; a bare `B` requests plain
 * transitions; `#` starts a comment line. Everything except macros is literal text and part of the
 * feature: two templates with the same text share their features. `U`, `B` and `*` are
 * distinguished by the first letter, which is part of the text too.
 *
 * @param place name of the file, for errors
 * @param functions token functions in addition to the built-in ones
 * @throws TagstreamError `template`, with line and column
 * @example
 * parseTemplates('U01:%x[-1,0]/%x[0,0]\nB').templates.length // => 1
 */
export function parseTemplates(
  source: string,
  place = '<templates>',
  functions: TokenFunctions = noTokenFunctions,
): TemplateSet {
  const templates: Template[] = [];
  const seen = new Map<string, number>();
  let transitions = false;
  for (const [i, raw] of source.split(/\r?\n/).entries()) {
    const line = i + 1;
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) continue;
    const start = { source: place, line, column: raw.length - raw.trimStart().length + 1 };
    const before = seen.get(text);
    if (before !== undefined) {
      throw new TagstreamError('template', `duplicate of the template in line ${before}`, {
        place: start,
        fix: 'remove one of the two',
      });
    }
    seen.set(text, line);
    const kind = kindOf(text, start);
    if (text.length === 1 && kind !== 'state') {
      transitions = true;
      if (kind === 'both') templates.push({ kind: 'state', pieces: ['U'], source: text, line });
      continue;
    }
    const pieces = piecesOf(text, start, functions);
    requireVectorAlone({ kind, pieces }, start);
    templates.push({ kind, pieces, source: text, line });
  }
  if (templates.length === 0) {
    throw new TagstreamError(
      'template',
      transitions
        ? 'no template looks at tokens: B alone only makes features of label pairs'
        : 'there are no templates',
      {
        place: { source: place },
        fix: `${transitions ? 'add' : 'start with'} a line such as U00:%x[0,0]`,
      },
    );
  }
  return { templates, transitions, source };
}

function kindOf(text: string, place: TextPlace): Template['kind'] {
  switch (text[0]) {
    case 'U':
    case 'u':
      return 'state';
    case 'B':
    case 'b':
      return 'edge';
    case '*':
      return 'both';
    default:
      throw new TagstreamError('template', `a template cannot start with "${text[0]}"`, {
        place,
        fix: 'start it with U (features of a token), B (transitions), * (both) or # (comment)',
      });
  }
}

function piecesOf(text: string, place: TextPlace, functions: TokenFunctions): Piece[] {
  const pieces: Piece[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    if (text[at] !== '%') {
      literal += text[at];
      at += 1;
      continue;
    }
    if (text[at + 1] === '%') {
      literal += '%';
      at += 2;
      continue;
    }
    if (literal !== '') pieces.push(literal);
    literal = '';
    const { macro, end } = parseMacro(text, at, place, functions);
    pieces.push(macro);
    at = end;
  }
  if (literal !== '') pieces.push(literal);
  return pieces;
}

/** @throws TagstreamError `template` if a template with `%vector` has another macro, or makes transition features */
function requireVectorAlone(
  { kind, pieces }: Pick<Template, 'kind' | 'pieces'>,
  place: TextPlace,
): void {
  const macros = pieces.filter(piece => typeof piece !== 'string');
  const vector = macros.find(({ apply }) => apply === 'vector');
  if (vector === undefined) return;
  const { absolute, offset, column, resource } = vector;
  const alone = `%vector[${absolute ? '@' : ''}${offset},${column},${resource}]`;
  if (kind !== 'state') {
    throw new TagstreamError('template', '%vector makes features of tokens, not transitions', {
      place,
      fix: `start the template with U: U:${alone}`,
    });
  }
  if (macros.length === 1) return;
  throw new TagstreamError('template', '%vector cannot be combined with other macros', {
    place,
    fix: `give it a template of its own: U:${alone}`,
  });
}

/**
 * Returns whether templates use other sentences of the document, which requires sentences in order.
 *
 * @throws TagstreamError `template` if the templates do not parse
 * @example
 * readsDocuments('U1:%document[0,0,case]') // => true
 */
export function readsDocuments(templates: string, functions?: TokenFunctions): boolean {
  return parseTemplates(templates, undefined, functions).templates.some(({ pieces }) =>
    pieces.some(piece => typeof piece !== 'string' && isOfContext(piece)),
  );
}
