import {
  Composer,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  Parser,
} from 'yaml';
import { type ErrorPlace, TagstreamError } from '../../../engine/core/errors.js';
import { keepSecretsInText } from '../../../engine/core/secrets.js';
import { grouped } from '../../../engine/core/wording/numbers.js';
import { deepestJson } from '../../../engine/kernels/byte-checks.js';

/** Keys and indices from the top of a file to a value. */
export type Path = readonly (string | number)[];

/** A YAML file as a plain value, with the position of each part. */
export interface YamlDocument {
  readonly value: unknown;
  /** Returns line and column of a value, or of its nearest enclosing part in the file. */
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
  // Keys are compared below: comparing a hundred thousand pairwise takes a minute.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, lineCounter: lines });
  const [document, second] = composer.compose(parser.parse(text), true, text.length);
  if (second !== undefined) {
    throw fail(second.range[0], 'a second YAML document begins here', 'use one document per file');
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

/** A parser that stops where values are nested too deeply for later code, which recurses at each level. */
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

/** Maximum number of values after expansion of aliases; a file with more is an attempt to exhaust memory. */
const mostAliased = 100_000;

/** A fault of a node in a YAML file. */
interface NodeFault {
  readonly offset: number;
  readonly problem: string;
  readonly fix: string;
}

/** The size of a value with all its contents, after expansion of aliases. */
interface Extent {
  readonly values: number;
  readonly depth: number;
}

/**
 * Returns the fault that prevents a parsed file from being a tree of manageable size: an alias that contains itself,
 * has no anchor, or multiplies; a key that occurs twice in a map or is not plain text.
 *
 * Expects nodes nested less than `deepestJson` levels deep, which the parser ensures; cost O(nodes).
 */
function faultOf(contents: unknown): NodeFault | undefined {
  try {
    new Walk().extent(contents, 0);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Found) return thrown.fault;
    throw thrown;
  }
}

class Found extends Error {
  readonly fault: NodeFault;

  constructor(node: Node, problem: string, fix: string) {
    super(problem);
    this.fault = { offset: node.range?.[0] ?? 0, problem, fix };
  }
}

class Walk {
  /** Values by anchor name; without an extent while the value is being traversed. */
  readonly #anchors = new Map<string, { extent?: Extent }>();
  #aliased = 0;

  extent(node: unknown, level: number): Extent {
    if (isAlias(node)) return this.#aliasExtent(node, node.source, level);
    if (!isNode(node)) return { values: 1, depth: 0 };
    const anchor: { extent?: Extent } = {};
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, anchor);
    let values = 1;
    let depth = 0;
    const add = (inner: unknown) => {
      const extent = this.extent(inner, level + 1);
      values += extent.values;
      depth = Math.max(depth, extent.depth + 1);
    };
    if (isSeq(node)) for (const item of node.items) add(item);
    if (isMap(node)) {
      const keys = new Set<string>();
      for (const { key, value } of node.items) {
        requireNew(key, keys, node);
        add(value);
      }
    }
    anchor.extent = { values, depth };
    return anchor.extent;
  }

  #aliasExtent(node: Node, name: string, level: number): Extent {
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) {
      throw new Found(
        node,
        `*${name} refers to an anchor that is not defined before it`,
        `define &${name} before it`,
      );
    }
    const { extent } = anchor;
    if (extent === undefined) {
      throw new Found(node, `*${name} refers to a value that contains it`, 'write the value out');
    }
    this.#aliased += extent.values;
    if (this.#aliased > mostAliased || level + extent.depth > deepestJson) {
      const problem = `with *${name}, the aliases expand to too much: more than ${grouped(mostAliased)} values or ${deepestJson} levels`;
      throw new Found(node, problem, 'use fewer aliases of aliases');
    }
    return extent;
  }
}

function requireNew(key: unknown, keys: Set<string>, map: Node): void {
  if (!isScalar(key)) {
    throw new Found(
      isNode(key) ? key : map,
      'a key must be plain text',
      'do not use a list or map as a key',
    );
  }
  const name = String(key.value);
  if (keys.has(name)) throw new Found(key, `the key "${name}" occurs twice`, 'remove one of them');
  keys.add(name);
}
