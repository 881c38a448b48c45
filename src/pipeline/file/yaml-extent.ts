import { isAlias, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { deepestJson } from '../../core/json-depth.js';
import { grouped } from '../../core/wording/grouped.js';

/** Values that aliases may stand for together; a file that makes more of them is made to exhaust the memory. */
const mostAliased = 100_000;

/** What is wrong with a node of a YAML file. */
export interface NodeFault {
  readonly offset: number;
  readonly problem: string;
  readonly fix: string;
}

/** A value with everything in it, aliases replaced by what they stand for. */
interface Extent {
  readonly values: number;
  readonly depth: number;
}

/**
 * What keeps a parsed file from being a tree of values of a size that can be walked through: an alias that contains
 * itself, that has no anchor, or that multiplies; a key that stands twice in a map, or is no plain text.
 *
 * To be given nodes that are nested less than `deepestJson` levels deep, as read; cost O(nodes).
 */
export function faultOf(contents: unknown): NodeFault | undefined {
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
  /** By the name of the anchor; without an extent while its value is being walked through. */
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
      throw new Found(node, `*${name} has no anchor before it`, `write &${name} before it`);
    }
    const { extent } = anchor;
    if (extent === undefined) {
      throw new Found(node, `*${name} stands for what it is a part of`, 'write the value out');
    }
    this.#aliased += extent.values;
    if (this.#aliased > mostAliased || level + extent.depth > deepestJson) {
      const problem = `with *${name} the aliases stand for too much: more than ${grouped(mostAliased)} values or ${deepestJson} levels`;
      throw new Found(node, problem, 'use fewer aliases of aliases');
    }
    return extent;
  }
}

function requireNew(key: unknown, keys: Set<string>, map: Node): void {
  if (!isScalar(key)) {
    throw new Found(
      isNode(key) ? key : map,
      'a key is plain text',
      'write no list or map as a key',
    );
  }
  const name = String(key.value);
  if (keys.has(name)) throw new Found(key, `the key "${name}" stands twice`, 'remove one of them');
  keys.add(name);
}
