import type { Random } from '../../../src/engine/core/random.js';
import type { Column } from '../../../src/engine/core/sentence/document.js';
import type { Sentence } from '../../../src/engine/core/sentence/sentence.js';

/** A macro of a template, before it is written down. */
export interface ReferenceMacro {
  readonly name: string;
  readonly offset: number;
  readonly absolute: boolean;
  readonly column: string;
  /** Third argument: a number, or a pattern without its quotes. */
  readonly argument?: number | string;
}

export interface ReferenceTemplate {
  readonly kind: 'U' | 'B' | '*';
  /** Literal text and macros in turn, literal text first. */
  readonly pieces: readonly (string | ReferenceMacro)[];
}

/** The template as a line of a template file. */
export function written({ pieces }: ReferenceTemplate): string {
  return pieces
    .map(piece => (typeof piece === 'string' ? piece.replaceAll('%', '%%') : writtenMacro(piece)))
    .join('');
}

function writtenMacro({ name, offset, absolute, column, argument }: ReferenceMacro): string {
  const third =
    argument === undefined ? '' : typeof argument === 'number' ? `,${argument}` : `,"${argument}"`;
  return `%${name}[${absolute ? '@' : ''}${offset},${column}${third}]`;
}

/**
 * The feature of a template at a token, as the string it stands for: its literal text and what its
 * macros yield, piece by piece; nothing where a macro yields nothing. Slow and plain, to be compared
 * with what the extractor does without strings.
 */
export function featureString(
  { pieces }: ReferenceTemplate,
  sentence: Sentence,
  t: number,
): string | undefined {
  const contents: string[] = [];
  for (const piece of pieces) {
    const content = typeof piece === 'string' ? piece : contentOf(piece, sentence, t);
    if (content === undefined) return undefined;
    contents.push(content);
  }
  return contents.join('\u0001');
}

function contentOf(macro: ReferenceMacro, sentence: Sentence, t: number): string | undefined {
  const length = sentence.tokens.length;
  let at = t + macro.offset;
  if (macro.absolute) at = macro.offset < 0 ? length + macro.offset : macro.offset;
  if (at < 0) return `_B${at}`;
  if (at >= length) return `_B+${at - length + 1}`;
  const column: Column =
    macro.column === 'form' ? sentence.tokens : sentence.columns[macro.column]!;
  const token = String(column[at]);
  const characters = Array.from(token);
  // A shape is not a text: it never is the same as a token that reads like it.
  if (macro.name === 'shape') return `shape ${shapeOf(characters)}`;
  return textOf(macro, token, characters)?.replace(/\p{Surrogate}/gu, '\ufffd');
}

function textOf(
  macro: ReferenceMacro,
  token: string,
  characters: readonly string[],
): string | undefined {
  const count = macro.argument as number;
  switch (macro.name) {
    case 'x':
      return token;
    case 'X':
    case 'lower':
      return token.toLowerCase();
    case 'length':
      return String(characters.length);
    case 'prefix':
      return characters.length < count ? undefined : characters.slice(0, count).join('');
    case 'suffix':
      return characters.length < count ? undefined : characters.slice(-count).join('');
    case 'Prefix':
      return textOf({ ...macro, name: 'prefix' }, token, Array.from(token.toLowerCase()));
    case 'Suffix':
      return textOf({ ...macro, name: 'suffix' }, token, Array.from(token.toLowerCase()));
    case 'char':
      return characters.at(count);
    case 't':
      return String(new RegExp(macro.argument as string, 'u').test(token));
    case 'T':
      return String(new RegExp(macro.argument as string, 'u').test(token.toLowerCase()));
    case 'm':
      return new RegExp(macro.argument as string, 'u').exec(token)?.[0] ?? '';
    default:
      throw new Error(`the reference has no %${macro.name}`);
  }
}

function shapeOf(characters: readonly string[]): string {
  const classes = characters.map(character =>
    /\p{Lu}/u.test(character)
      ? 'X'
      : /\p{L}/u.test(character)
        ? 'x'
        : /\p{N}/u.test(character)
          ? 'd'
          : character,
  );
  return classes.filter((each, i) => each !== classes[i - 1]).join('');
}

const affixNames = ['prefix', 'suffix', 'Prefix', 'Suffix'];
const macroNames = ['x', 'x', 'x', 'X', 'lower', 'shape', 'length', 'char', ...affixNames];
const patterns = ['^[A-Z]', '[0-9]+', 'é|😀', '.$', '^.?.?'];

function randomMacro(random: Random, columns: readonly string[]): ReferenceMacro {
  const name = [...macroNames, 't', 'T', 'm'][random.below(macroNames.length + 3)]!;
  const absolute = random.below(6) === 0;
  const counted = affixNames.includes(name);
  return {
    name,
    offset: absolute ? random.below(9) - 4 : random.below(7) - 3,
    absolute,
    column: columns[random.below(columns.length)]!,
    ...(counted ? { argument: 1 + random.below(4) } : {}),
    ...(name === 'char' ? { argument: random.below(6) - 3 } : {}),
    ...('tTm'.includes(name) ? { argument: patterns[random.below(patterns.length)]! } : {}),
  };
}

/** Templates that differ as lines; few literal texts, so that many share their features. */
export function randomTemplates(
  random: Random,
  count: number,
  columns: readonly string[],
): ReferenceTemplate[] {
  const templates = new Map<string, ReferenceTemplate>();
  while (templates.size < count) {
    const kind = (['U', 'U', 'B', '*'] as const)[random.below(4)]!;
    const pieces: (string | ReferenceMacro)[] = [`${kind}${random.below(3)}:`];
    for (let i = random.below(4); i > 0; i -= 1) {
      pieces.push(randomMacro(random, columns));
      if (random.below(2) === 0) pieces.push(['/', '%', ' é '][random.below(3)]!);
    }
    const template = { kind, pieces };
    const line = written(template).trim();
    if (line === written(template) && !templates.has(line)) templates.set(line, template);
  }
  return [...templates.values()];
}
