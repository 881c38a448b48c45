import * as z from 'zod';
import { schemaMessages } from '../../../engine/core/schema/schema-messages.js';
import type {
  CodecComponent,
  TransportComponent,
} from '../../../engine/interfaces/loaded-plugin.js';
import { type RecordLimits, recordCodec } from '../../../formats/codecs/record-codec.js';
import { lineOptions } from '../../../formats/lines/line-options.js';
import { messageSource } from '../../io/transports/message-source.js';
import { chosenOf, oneOf } from '../options/one-of.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

type Options = Readonly<Record<string, unknown>>;

/** Returns the codec of a plug-in as a source of pipeline files. */
export function pluginSource(component: CodecComponent): SourceComponent {
  const { name, summary, example, extensions, options } = component;
  const own = Object.keys(options.shape);
  const ownOf = (chosen: Options) =>
    Object.fromEntries(
      own.map(key => [key, chosen[key]]).filter(([, value]) => value !== undefined),
    );
  return {
    ...{ name, summary, example },
    ...(extensions === undefined ? {} : { extensions }),
    canLackTags: own.includes('tagOptional'),
    options: z
      .strictObject({ ...options.shape, ...lineOptions, ...commonSourceShape })
      .superRefine((chosen, context) => {
        // Applies the plug-in's rules about combinations of its options.
        const checked = options.safeParse(ownOf(chosen), { error: schemaMessages });
        for (const { path, message } of checked.error?.issues ?? []) {
          context.addIssue({ code: 'custom', path: [...path], message });
        }
      }),
    codecOptions: withoutCommon,
    codec: chosen => recordCodec(component, ownOf(chosen), chosen as RecordLimits),
    columns: chosen => component.create(ownOf(chosen)).columns ?? ['form'],
  };
}

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
