import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A regular expression in the sources. */
export interface Expression {
  /** Places such as `core/secrets.ts:27`. */
  readonly places: string[];
  readonly source: string;
  readonly flags: string;
}

/** What the sources have of regular expressions. */
export interface Expressions {
  /** Literals, each once. */
  readonly literals: readonly Expression[];
  /** Files that build expressions at run time, as often as they do. */
  readonly building: readonly string[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
}

const sources = resolve(import.meta.dirname, '../../../src');

/** Collects the regular expressions of `src`; AssemblyScript, which has none, is not read. */
export function expressionsOfSources(): Expressions {
  const literals = new Map<string, Expression>();
  const building: string[] = [];
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => /\.(?:ts|mjs)$/.test(file) && !/\.d\.m?ts$/.test(file))
    .filter(file => !file.startsWith('engine/kernels/simd/assembly/'))
    .sort();
  for (const file of files) {
    const text = readFileSync(join(sources, file), 'utf8');
    for (const node of nodesOf(parseAst(text, { lang: file.endsWith('.ts') ? 'ts' : 'js' }))) {
      if (node.regex !== undefined) {
        const { pattern: source, flags } = node.regex;
        const key = `/${source}/${flags}`;
        const found = literals.get(key) ?? { places: [], source, flags };
        found.places.push(`${file}:${text.slice(0, node.start).split('\n').length}`);
        literals.set(key, found);
      }
      if (/^(?:New|Call)Expression$/.test(node.type) && node.callee?.name === 'RegExp') {
        building.push(relative('.', file));
      }
    }
  }
  return { literals: [...literals.values()], building };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as Node;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

/** A text that grows: a beginning, a part that is repeated, and an end that often prevents a match. */
export interface Attack {
  readonly begin: string;
  readonly repeated: string;
  readonly end: string;
}

/**
 * Returns texts that make an expression backtrack, if anything does: parts of what it matches, each repeated after what comes
 * before it, and ended by what cannot match.
 */
export function attacksOn({ source }: { readonly source: string }): Attack[] {
  const atoms = atomsOf(source);
  const attacks = new Map<string, Attack>();
  for (let i = 0; i < atoms.length; i += 1) {
    const [one, two] = [atoms[i]!, atoms.slice(i, i + 2).join('')];
    for (const repeated of new Set([one, two])) {
      for (const begin of new Set(['', atoms.slice(0, i).join('')])) {
        for (const end of ['\0', '\n\0']) {
          attacks.set(JSON.stringify([begin, repeated, end]), { begin, repeated, end });
        }
      }
    }
  }
  const whole = atoms.join('');
  for (const repeated of [whole, ' ', 'a', '0', '\n', '\t', '"', '@', '/', ':', '.', '-', 'é']) {
    attacks.set(repeated, { begin: '', repeated, end: '\0' });
  }
  return [...attacks.values()];
}

/** Characters that escapes of sets match. */
const samples: Readonly<Record<string, string>> = {
  ...{ s: ' ', S: 'x', d: '0', D: 'x', w: 'a', W: '-', n: '\n', r: '\r', t: '\t', f: '\f' },
  ...{ p: 'a', P: '0', b: '', B: '', '.': '.' },
};

/** Returns a character for each character or set of the source of an expression. */
function atomsOf(source: string): string[] {
  const atoms: string[] = [];
  // Groups, their kinds, quantifiers and anchors match nothing themselves.
  const parts =
    /\\(?:u\{([\da-fA-F]+)\}|[ux]([\da-fA-F]{2,4})|[pPk][{<][^}>]*[}>]|(.))|\(\?(?:<?[=!]|:|<\w+>)|[()|^$*+?]|\{\d[\d,]*\}|\[\^?|\]|(.)/gsu;
  let inSet = false;
  let isInverse = false;
  for (const [part, long, short, escaped, plain] of source.matchAll(parts)) {
    if (part.startsWith('[')) [inSet, isInverse] = [true, part === '[^'];
    else if (part === ']') inSet = false;
    const code = long ?? short;
    const atom =
      code !== undefined
        ? String.fromCodePoint(Number.parseInt(code, 16))
        : part.startsWith('\\')
          ? (samples[escaped ?? part[1]!] ?? escaped ?? '')
          : (plain ?? '');
    if (atom !== '' && atoms.at(-1) !== atom) atoms.push(atom);
    if (inSet && isInverse && atoms.at(-1) !== 'x') atoms.push('x');
  }
  return atoms.length > 40 ? [...atoms.slice(0, 20), ...atoms.slice(-20)] : atoms;
}
