// The entry `tagstream/io`: reading and writing files of records, for Node.

// io

export { conllCodec } from '../formats/codecs/conll/conll-codec.js';
export { conlluCodec } from '../formats/codecs/conllu/conllu-codec.js';
export { lettersCodec } from '../formats/codecs/letters/letters-codec.js';
export { ndjsonCodec } from '../formats/codecs/ndjson/ndjson-codec.js';
export { FileCheckpointStore } from '../runtime/io/checkpoints/file-checkpoint-store.js';
export { convert } from '../runtime/io/convert.js';
export { DeadLetters } from '../runtime/io/dead-letters/dead-letters.js';
export { replayCodec } from '../runtime/io/dead-letters/replay-codec.js';
export { writeDocuments } from '../runtime/io/document-sink.js';
export { documentSource } from '../runtime/io/sources/document-source.js';
export { messageSource } from '../runtime/io/transports/message-source.js';
export { readWordVectors } from '../runtime/io/vectors/read-word-vectors.js';
export { openOutput } from '../runtime/io/writing/open-output.js';

// types

export type { Document } from '../engine/core/sentence/document.js';
export type { TaggedDocument } from '../engine/core/sentence/tagged-document.js';
export type { WordVectors } from '../engine/features/resources/resources.js';
export type { MessageOrigin } from '../engine/interfaces/loaded-plugin.js';
export type { BadRecord, Fault, Policy } from '../formats/bad-records/bad-record.js';
export type { Codec, WriteOptions } from '../formats/codecs/codec.js';
export type { ConvertOptions } from '../runtime/io/convert.js';
export type { DeadLetterOptions } from '../runtime/io/dead-letters/dead-letters.js';
export type { WriteHooks } from '../runtime/io/document-sink.js';
export type { DocumentSourceOptions } from '../runtime/io/sources/source-reading.js';
export type {
  MessageStream,
  OpenRequest,
  Transport,
  TransportStream,
} from '../runtime/io/transports/transport.js';
export type { OpenOutputOptions, Output } from '../runtime/io/writing/open-output.js';
