// The entry `tagstream/io`: reading and writing files of records, for Node.

// io

export { FileCheckpointStore } from '../io/checkpoints/file-checkpoint-store.js';
export { conllCodec } from '../io/codecs/conll/conll-codec.js';
export { conlluCodec } from '../io/codecs/conllu/conllu-codec.js';
export { lettersCodec } from '../io/codecs/letters/letters-codec.js';
export { ndjsonCodec } from '../io/codecs/ndjson/ndjson-codec.js';
export { convert } from '../io/convert.js';
export { DeadLetters } from '../io/dead-letters/dead-letters.js';
export { replayCodec } from '../io/dead-letters/replay-codec.js';
export { writeDocuments } from '../io/document-sink.js';
export { documentSource } from '../io/sources/document-source.js';
export { messageSource } from '../io/transports/message-source.js';
export { readWordVectors } from '../io/vectors/read-word-vectors.js';
export { openOutput } from '../io/writing/open-output.js';

// types

export type { Document } from '../core/sentence/document.js';
export type { TaggedDocument } from '../core/sentence/tagged-document.js';
export type { WordVectors } from '../features/resources/resources.js';
export type { MessageOrigin } from '../interfaces/loaded-plugin.js';
export type { BadRecord, Fault, Policy } from '../io/bad-records/bad-record.js';
export type { Codec, WriteOptions } from '../io/codecs/codec.js';
export type { ConvertOptions } from '../io/convert.js';
export type { DeadLetterOptions } from '../io/dead-letters/dead-letters.js';
export type { WriteHooks } from '../io/document-sink.js';
export type { DocumentSourceOptions } from '../io/sources/source-reading.js';
export type {
  MessageStream,
  OpenRequest,
  Transport,
  TransportStream,
} from '../io/transports/transport.js';
export type { OpenOutputOptions, Output } from '../io/writing/open-output.js';
