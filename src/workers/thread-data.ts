import type { PluginModule } from '../plugins/loaded-plugin.js';

/** What the threads of a group are started with. */
export interface ThreadData {
  readonly members: number;
  readonly buffer: SharedArrayBuffer;
  /** Plug-ins, which each thread loads itself. */
  readonly modules: readonly PluginModule[];
}
