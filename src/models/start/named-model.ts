import type { Model } from '../model.js';

/** A model, and what errors call it. */
export interface NamedModel {
  readonly source: string;
  readonly model: Model;
}
