import { isMap, isNode, isSeq, LineCounter, parseDocument } from 'yaml';
import { type ErrorPlace, TagstreamError } from '../../core/errors.js';

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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): ErrorPlace => {
    const { line, col } = lines.linePos(offset);
    return { source, line, column: col };
  };
  const problem = document.errors[0];
  if (problem !== undefined) {
    throw new TagstreamError('config', problem.message, {
      place: at(problem.pos[0]),
      fix: 'mend the YAML',
      cause: problem,
    });
  }
  return {
    value: document.toJS(),
    place(path) {
      let node: unknown = document.contents;
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
