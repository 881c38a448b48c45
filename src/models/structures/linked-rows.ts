import type { EncodedSentence } from '../../core/minibatch/encoded-sentence.js';
import { joinRows, type PackedRows } from '../../core/minibatch/join-rows.js';
import type { EncodedLinks } from '../../features/links/link-encoder.js';

/**
 * The fields of an encoded sentence with links: one candidate for each after the tokens, without state features, whose
 * edge feature is the type of the link.
 */
export function linkedRows(
  state: PackedRows,
  edges: PackedRows | undefined,
  { links, rows }: EncodedLinks,
): Partial<EncodedSentence> {
  const length = state.starts.length - 1;
  const none = { starts: new Uint32Array(length + 1), rows: new Uint32Array(0) };
  const empty = { starts: new Uint32Array(rows.starts.length), rows: none.rows };
  const states = joinRows([state, empty]);
  const joined = joinRows([edges ?? none, rows]);
  return {
    stateStarts: states.starts,
    stateRows: states.rows,
    ...(states.values === undefined ? {} : { stateValues: states.values }),
    edgeStarts: joined.starts,
    edgeRows: joined.rows,
    ...(joined.values === undefined ? {} : { edgeValues: joined.values }),
    candidates: links.from.length,
    links,
  };
}
