import type { ModelHeader } from './model-header.js';
import type { Sections } from './section-file.js';

/** What a model file holds, before it is made bytes, or read from them again. */
export interface ModelContents {
  readonly header: ModelHeader;
  readonly sections: Sections;
  /** Rows of the state features in the index that they come from, where they were just taken from it. */
  readonly stateRows?: Uint32Array;
  /** Whether the file is to be compact, where it can be; the features are then in the order of `keyOrder`. */
  readonly isCompact?: boolean;
}
