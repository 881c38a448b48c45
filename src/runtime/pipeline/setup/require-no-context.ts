import { TagstreamError } from '../../../engine/core/errors.js';
import { readsDocuments } from '../../../engine/features/template/parse-templates.js';
import type { ModelSpec } from '../../../engine/models/model-spec.js';

/**
 * Rejects checkpoints for a run whose model reads other sentences: a run that resumes in the middle of a document lacks
 * them.
 *
 * @throws TagstreamError `config`
 */
export function requireNoContext({ templates, functions }: ModelSpec): void {
  if (!readsDocuments(templates, functions)) return;
  throw new TagstreamError(
    'config',
    'the model looks at other sentences of the document (%document, %predicted)',
    { fix: 'a resumed run cannot restore these: leave checkpoints out, or train without them' },
  );
}
