import { Tagger } from '../../engine/models/tagger.js';

/** The model file in base64, which `taggerModule` puts before this program. */
declare const tagstreamModel: string;

/** The tagger of the embedded model. */
export const tagger: Tagger = Tagger.fromBytes(
  Uint8Array.from(atob(tagstreamModel), character => character.charCodeAt(0)),
);
