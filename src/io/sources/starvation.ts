import { FlowLedger } from '../../core/delivery/flow-ledger.js';
import { TagstreamError } from '../../core/errors.js';
import type { Gate } from './gate.js';

/** Milliseconds between two looks. */
const interval = 1000;
/** Looks without any change after which a stream stands still for good. */
const patience = 5;

/**
 * Watches a source that waits at its gate: if nothing is released for five seconds while nobody is busy,
 * whoever holds the records will not release them on its own. A slow reader of the output is busy.
 *
 * Without a ledger nobody knows who is busy: then it only warns, once.
 *
 * @returns what ends the watch
 */
export function watchForStarvation(
  gate: Gate,
  ledger: FlowLedger | undefined,
  onStarved: (error: TagstreamError) => void,
): () => void {
  let before = gate.releases;
  let still = 0;
  // Keeps the process alive: it would end without a word where nothing else is left to wait for.
  const timer = setInterval(() => {
    still = gate.releases === before && ledger?.busy !== true ? still + 1 : 0;
    before = gate.releases;
    if (still < patience) return;
    clearInterval(timer);
    const error = starved(gate, ledger ?? new FlowLedger());
    if (ledger === undefined) process.emitWarning(error.message, 'TagstreamWarning');
    else onStarved(error);
  }, interval);
  return () => clearInterval(timer);
}

function starved(gate: Gate, ledger: FlowLedger): TagstreamError {
  const problem = `${gate.items} records (${gate.bytes} bytes) are in flight and none comes back: ${ledger.describe(gate.items)}`;
  return new TagstreamError('starved', problem, {
    fix: 'raise the budget above what a stage holds back, or put operators that drop or collect items inside tracked()',
  });
}
