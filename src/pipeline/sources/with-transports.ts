import type * as z from 'zod';
import { messageSource } from '../../io/transports/message-source.js';
import type { TransportComponent } from '../../plugins/loaded-plugin.js';
import { chosenOf, oneOf } from '../options/one-of.js';
import { commonSourceShape, type SourceComponent } from './source-component.js';

/** Returns a source whose records may also come by a transport, with `from` instead of `files`. */
export function withTransports(
  source: SourceComponent,
  transports: readonly TransportComponent[],
): SourceComponent {
  if (source.generated !== undefined) return source;
  const options = (source.options as z.ZodObject)
    .safeExtend({
      files: commonSourceShape.files
        .unwrap()
        .optional()
        .meta({ default: ['-'] }),
      from: oneOf(transports)
        .optional()
        .describe('the transport that receives the records as messages, instead of files'),
    })
    .refine(({ files, from }) => files === undefined || from === undefined, {
      message: 'expected either files or from',
      path: ['from'],
    });
  return {
    ...source,
    options,
    transport: ({ from, maxLineBytes }, setting) => {
      if (from === undefined) return undefined;
      const chosen = chosenOf(transports, from as Record<string, unknown>);
      const messages = chosen.component.reading(chosen.options, setting);
      return messageSource(messages, { maxLineBytes: maxLineBytes as number | undefined });
    },
  };
}
