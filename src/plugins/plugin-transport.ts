import type { ObservableInput } from 'rxjs';
import { TagstreamError } from '../core/errors.js';
import type { TransportDefinition } from './definitions.js';
import { eachValue } from './each-value.js';
import type {
  Message,
  MessageRequest,
  MessageTransport,
  MessageWriter,
  TransportSetting,
} from './messages.js';
import { optionsSchema } from './options-schema.js';
import { guarded, pluginFault } from './plugin-fault.js';
import type { TransportComponent } from './transport-component.js';

/** The transport of a plug-in, whose faults name it. */
export function pluginTransport(definition: TransportDefinition, what: string): TransportComponent {
  const { name, summary } = definition;
  const create = (options: unknown, setting: TransportSetting, wanted: 'read' | 'write') => {
    const made = guarded(what, 'config', () => definition.create(options as never, setting));
    if (typeof made?.[wanted] === 'function') return made;
    const can = wanted === 'read' ? 'brings no messages' : 'takes no messages';
    throw new TagstreamError('config', `${what} ${can}: it has no function ${wanted}`, {
      fix:
        wanted === 'read'
          ? 'let create return { name, read }'
          : 'let create return { name, write }',
    });
  };
  return {
    ...{ name, summary },
    example: definition.example ?? `source: { ndjson: { from: { ${name}: {} } } }`,
    options: optionsSchema(definition.options, what),
    reading(options, setting) {
      const made = create(options, setting, 'read');
      const read = (request: MessageRequest) =>
        messagesOf(what, request, () => made.read!(request));
      const state = () => made.state?.() ?? {};
      return { name: nameOf(made, name), read, state, close: async () => made.close?.() };
    },
    writing(options, setting) {
      const made = create(options, setting, 'write');
      return {
        ...{ name: nameOf(made, name), takes: made.takes },
        write: async () => writerOf(what, made),
      };
    },
  };
}

function nameOf(made: MessageTransport, name: string): string {
  return typeof made.name === 'string' && made.name !== '' ? made.name : name;
}

async function* messagesOf(
  what: string,
  { signal }: MessageRequest,
  read: () => ObservableInput<Message | readonly Message[]>,
): AsyncGenerator<readonly Message[], void, undefined> {
  try {
    for await (const some of eachValue(read(), signal)) {
      yield [some].flat().map(message => checked(message, what));
    }
  } catch (thrown) {
    throw pluginFault(thrown, what, 'file');
  }
}

function checked(message: Message, what: string): Message {
  const bytes = message?.bytes;
  if (typeof bytes !== 'string' && !(bytes instanceof Uint8Array)) {
    throw new TagstreamError('file', 'a message has no bytes', {
      fix: 'yield { bytes, cursor, ack }, with text or a Uint8Array as bytes',
    });
  }
  const { ack } = message;
  if (ack === undefined) return message;
  return { ...message, ack: () => guarded(what, 'file', () => ack.call(message)) };
}

async function writerOf(what: string, made: MessageTransport): Promise<MessageWriter> {
  try {
    const writer = await made.write!();
    const sending = async (send: () => Promise<unknown>) => {
      try {
        await send();
      } catch (thrown) {
        throw pluginFault(thrown, what, 'file');
      }
    };
    return {
      send: (bytes, id, record) => sending(() => writer.send(bytes, id, record)),
      sendPiece: (bytes, position) => sending(() => writer.sendPiece!(bytes, position)),
      close: async () => writer.close?.(),
    };
  } catch (thrown) {
    throw pluginFault(thrown, what, 'file');
  }
}
