import type { Model } from '../../engine/models/model.js';
import { typeOf } from '../../engine/text/tags/chunk-boundaries.js';
import { isSpanScheme } from '../../engine/text/tags/tag-scheme.js';
import { standardStreams } from '../../formats/files/standard-streams.js';
import { TaggedPage } from '../../reports/tagged/tagged-page.js';
import { TerminalText } from '../../reports/tagged/terminal-text.js';
import { framedOutput, openOutput } from '../../runtime/io/writing/open-output.js';
import type { TaggingSink } from '../../runtime/pipeline/tagging/tagging-run.js';
import { wantsColour } from '../report/terminal.js';
import type { TagArguments } from './refuse-shown.js';

/** Returns the destination of the text of `--html` or `--pretty`, and its writer. */
export function shownSink(
  { model: file, html, out }: Pick<TagArguments, 'model' | 'html' | 'out'>,
  model: Model,
  signal: AbortSignal,
): Pick<TaggingSink, 'open' | 'writer'> {
  const labels = [...model.labels.tags];
  const spans = isSpanScheme(model.scheme);
  if (html !== undefined) {
    const page = new TaggedPage({ model: file, labels, spans });
    const open = async () => framedOutput(await openOutput(html, { signal }), page);
    return { open, writer: page };
  }
  const colour = wantsColour(process.env, out === '-' && standardStreams().stdout.isTTY === true);
  return {
    open: () => openOutput(out, { signal }),
    writer: new TerminalText({ colour, labels: spans ? labels.map(typeOf) : [] }),
  };
}
