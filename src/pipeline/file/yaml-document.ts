import { Composer, isMap, isNode, isSeq, LineCounter, Parser } from 'yaml';
import { type ErrorPlace, TagstreamError } from '../../core/errors.js';
import { deepestJson } from '../../core/json-depth.js';
import { keepSecretsInText } from '../../core/secrets.js';
import { faultOf } from './yaml-extent.js';

/** Keys and numbers that lead from the top of a file to a value. */
export type Path = readonly (string | number)[];

/** A YAML file: its plain value, and where each part of it stands. */
export interface YamlDocument {
  readonly value: unknown;
  /** Line and column of a value, or of the nearest thing around it that is in the file. */
  place(path: Path): ErrorPlace;
}

/**
 * Parses YAML 1.2.
 *
 * @param source name of the file, for errors
 * @throws TagstreamError `config` with line and column
 */
export function parseYaml(text: string, source: string): YamlDocument {
  const lines = new LineCounter();
  const at = (offset: number): ErrorPlace => {
    const { line, col } = lines.linePos(offset);
    return { source, line, column: col };
  };
  const fail = (offset: number, problem: string, fix: string, cause?: Error) => {
    keepSecretsInText(text);
    return new TagstreamError('config', problem, { place: at(offset), fix, cause });
  };
  const parser = new ShallowParser(lines.addNewLine, offset =>
    fail(offset, `nested more than ${deepestJson} levels deep`, 'write it with fewer levels'),
  );
  // Keys are compared below: each with each takes a minute where there are a hundred thousand.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  const [document, second] = composer.compose(parser.parse(text), true, text.length);
  if (second !== undefined) {
    throw fail(second.range[0], 'a second document begins here', 'keep one document in a file');
  }
  const problem = document!.errors[0];
  if (problem !== undefined) {
    const isVariable = text[problem.pos[0] - 1] === '$';
    const fix = isVariable ? 'inside { } and [ ] write "${VAR}" in quotes' : 'correct the YAML';
    throw fail(problem.pos[0], problem.message, fix, problem);
  }
  const { contents } = document!;
  const fault = faultOf(contents);
  if (fault !== undefined) throw fail(fault.offset, fault.problem, fault.fix);
  return {
    value: document!.toJS({ maxAliasCount: -1 }),
    place(path) {
      let node: unknown = contents;
      let offset = 0;
      for (const step of path) {
        let next: unknown;
        if (isMap(node)) {
          const pair = node.items.find(item => String(item.key) === String(step));
          if (pair === undefined) break;
          if (isNode(pair.key)) offset = pair.key.range?.[0] ?? offset;
          next = pair.value;
        } else if (isSeq(node)) {
          next = node.items[Number(step)];
          if (isNode(next)) offset = next.range?.[0] ?? offset;
        }
        if (next === undefined) break;
        node = next;
      }
      return at(offset);
    },
  };
}

/** Reads no further where values are nested too deeply for what comes after it, which calls itself for each level. */
class ShallowParser extends Parser {
  readonly #tooDeep: (offset: number) => Error;

  constructor(onNewLine: (offset: number) => void, tooDeep: (offset: number) => Error) {
    super(onNewLine);
    this.#tooDeep = tooDeep;
  }

  override *next(source: string): ReturnType<Parser['next']> {
    yield* super.next(source);
    if (this.stack.length > deepestJson) throw this.#tooDeep(this.offset - source.length);
  }
}
