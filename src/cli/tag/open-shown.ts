import type { Codec } from '../../io/codecs/codec.js';
import { standardStreams } from '../../io/files/standard-streams.js';
import { framedOutput } from '../../io/writing/framed-output.js';
import { type Output, openOutput } from '../../io/writing/open-output.js';
import { TaggedPage } from '../../reports/tagged/tagged-page.js';
import { TerminalText } from '../../reports/tagged/terminal-text.js';
import { typeOf } from '../../text/tags/chunk-boundaries.js';
import { wantsColour } from '../report/wants-colour.js';
import type { ShownModel } from './shown.js';
import type { TagArguments } from './tag-arguments.js';

/** Opens the output of `--html` or `--pretty`, and makes what writes records as text to be read. */
export async function openShown(
  { html, out }: Pick<TagArguments, 'html' | 'out'>,
  model: ShownModel,
  signal: AbortSignal,
): Promise<{ output: Output; writer: Pick<Codec, 'write'> }> {
  if (html !== undefined) {
    const page = new TaggedPage(model);
    return { output: framedOutput(await openOutput(html, { signal }), page), writer: page };
  }
  const labels = model.spans ? model.labels.map(typeOf) : [];
  const colour = wantsColour(process.env, out === '-' && standardStreams().stdout.isTTY === true);
  return {
    output: await openOutput(out, { signal }),
    writer: new TerminalText({ colour, labels }),
  };
}
