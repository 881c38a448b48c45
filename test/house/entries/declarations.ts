import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A name that a module exports, and the file and name under which it is declared. */
export interface Exported {
  readonly name: string;
  readonly file: string;
  readonly own: string;
}

/** What a declaration file has, read as text: the compiler that we use has no interface for programs. */
interface Declarations {
  /** Text of each top-level declaration, by name; overloads and merged ones together. */
  readonly declared: ReadonlyMap<string, { readonly kind: string; readonly text: string }>;
  /** Names that are imported from files of ours, with where they come from. */
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly own: string }>;
  readonly exported: readonly Exported[];
  /** Files all of whose names are passed on. */
  readonly passedOn: readonly string[];
}

const read = new Map<string, Declarations>();

/** All names that a declaration file exports, those that it passes on among them. */
export function exportsOf(file: string): Exported[] {
  const { exported, passedOn } = declarationsOf(file);
  const found = new Map<string, Exported>();
  for (const from of passedOn) for (const each of exportsOf(from)) found.set(each.name, each);
  // Its own names come before those that it passes on.
  for (const each of exported) found.set(each.name, origin(each));
  return [...found.values()];
}

/** Names of ours in the declaration of an export, with where they are declared. */
export function namedIn({ file, own }: Exported): Exported[] {
  const { declared, imported } = declarationsOf(file);
  const found: Exported[] = [];
  const seen = new Set([own]);
  const visit = (text: string) => {
    const words = new Set(text.match(/[A-Za-z_$][\w$]*/g));
    for (const name of words) {
      if (seen.has(name)) continue;
      const from = imported.get(name);
      const local = declared.get(name);
      if (from === undefined && local === undefined) continue;
      seen.add(name);
      const named = from === undefined ? { name, file, own: name } : origin({ name, ...from });
      // Of a constant only what its type names counts: `typeof options` names no type.
      if (declarationsOf(named.file).declared.get(named.own)!.kind !== 'const') found.push(named);
      else if (from === undefined) visit(local!.text);
      else found.push(...namedIn(named));
    }
  };
  visit(declared.get(own)!.text);
  return found;
}

function origin({ name, file, own }: Exported): Exported {
  const { declared, imported, exported, passedOn } = declarationsOf(file);
  if (declared.has(own)) return { name, file, own };
  const from = imported.get(own) ?? exported.find(each => each.name === own);
  if (from !== undefined) return origin({ name, file: from.file, own: from.own });
  for (const next of passedOn) {
    const found = exportsOf(next).find(each => each.name === own);
    if (found !== undefined) return { ...found, name };
  }
  throw new Error(`${file} has no ${own}`);
}

function declarationsOf(file: string): Declarations {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = bare(readFileSync(file, 'utf8'));
  const pathOf = (from: string) => join(dirname(file), from.replace(/\.js$/, '.d.ts'));
  const imported = new Map<string, { file: string; own: string }>();
  for (const [, names, from] of text.matchAll(
    /^import (?:type )?\{([^}]*)\} from '(\.[^']*)';/gm,
  )) {
    for (const [own, name] of namesIn(names!)) imported.set(name, { file: pathOf(from!), own });
  }
  const exported: Exported[] = [];
  for (const [, names, from] of text.matchAll(
    /^export (?:type )?\{([^}]*)\} from '(\.[^']*)';/gm,
  )) {
    for (const [own, name] of namesIn(names!)) exported.push({ name, file: pathOf(from!), own });
  }
  for (const [, names] of text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)) {
    for (const [own, name] of namesIn(names!)) exported.push({ name, file, own });
  }
  const passedOn = [...text.matchAll(/^export (?:type )?\* from '(\.[^']*)';/gm)].map(([, from]) =>
    pathOf(from!),
  );
  const declared = new Map<string, { kind: string; text: string }>();
  const pattern =
    /^(export )?(?:declare )?(?:abstract )?(class|function|const|interface|type|enum) ([\w$]+)/gm;
  const starts = [...text.matchAll(pattern)];
  for (const match of starts) {
    const [, isExported, kind, name] = match;
    const next = /^(?:export|import|declare|interface|type|class)\b/m.exec(
      text.slice(match.index + match[0].length),
    );
    const end = next === null ? text.length : match.index + match[0].length + next.index;
    const before = declared.get(name!)?.text ?? '';
    declared.set(name!, { kind: kind!, text: `${before}${text.slice(match.index, end)}\n` });
    if (isExported !== undefined && before === '') exported.push({ name: name!, file, own: name! });
  }
  const result = { declared, imported, exported, passedOn };
  read.set(file, result);
  return result;
}

/** A text without comments, private members and literals, none of which name a type. */
function bare(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*private [^;]*;/gm, '')
    .replace(/(?<!from )(?<!import\()'[^'\n]*'(?!;$)/gm, "''");
}

function* namesIn(list: string): Generator<readonly [own: string, name: string]> {
  for (const part of list.split(',')) {
    const [own, name = own] = part
      .trim()
      .replace(/^type /, '')
      .split(' as ');
    if (own !== undefined && own !== '') yield [own, name!];
  }
}
