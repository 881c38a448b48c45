import type { PluginModule } from '../plugins/loaded-plugin.js';

/** The start data of the threads of a group. */
export interface ThreadData {
  readonly members: number;
  readonly buffer: SharedArrayBuffer;
  /** Plug-ins, which each thread loads itself. */
  readonly modules: readonly PluginModule[];
}
