import { TagstreamError } from '../../../core/errors.js';
import { packMinibatch } from '../../../core/minibatch/pack-minibatch.js';
import type { Decoded } from '../../../models/decoding/decoded.js';
import { Decoder } from '../../../models/decoding/decoder.js';
import type { Model } from '../../../models/model.js';

/** A number, so that columns of numbers take it too. */
const tokens: readonly string[] = ['0', '0'];

/**
 * Makes sure that a model can tag: it has labels, and tags a sentence of two tokens with them.
 *
 * Changes nothing of the model. Beside reading it, this costs nothing.
 *
 * @param source name of the model's file, for errors
 * @throws TagstreamError `model-damaged` if it cannot
 */
export function requireTagger(model: Model, source: string): void {
  const { size } = model.labels;
  if (size === 0) throw useless(source, 'it has no label');
  const { labels, scores } = tagged(model, source);
  if (!Number.isFinite(scores[0])) throw useless(source, `the score of a sentence is ${scores[0]}`);
  const wrong = labels.find(label => label < 0 || label >= size);
  if (wrong !== undefined) throw useless(source, `a token gets label ${wrong} of ${size}`);
}

function tagged(model: Model, source: string): Decoded {
  // Templates also ask for columns by names that have no number.
  const asked = model.extractor.plan.atoms.map(({ column }) => column);
  const names = [...model.spec.columns, ...asked];
  const columns = Object.fromEntries(names.map(name => [name, tokens]));
  const part = { index: 0, count: 1, start: 0 };
  try {
    const encoded = model.encodeKnown({ tokens, columns, document: { tokens, columns }, part });
    return new Decoder(model.kernel).decode(model.parameters, packMinibatch([encoded]));
  } catch (cause) {
    throw useless(source, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function useless(source: string, reason: string, cause?: unknown): TagstreamError {
  return new TagstreamError('model-damaged', `the model cannot tag: ${reason}`, {
    place: { source },
    fix: 'copy it again from its origin, or train again',
    ...(cause === undefined ? {} : { cause }),
  });
}
