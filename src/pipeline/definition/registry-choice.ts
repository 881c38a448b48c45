/** Where a registry of models is, as commands and code say it. */
export interface RegistryChoice {
  /** Addresses of its servers, in place of those of the file. */
  readonly servers?: readonly string[] | undefined;
  /** A YAML file that says how its servers are reached; default: that of the variable `TAGSTREAM_NATS`. */
  readonly nats?: string | undefined;
  /** Folder that files of models are kept in; default: `TAGSTREAM_CACHE`, else `tagstream` among the caches of the user. */
  readonly cache?: string | undefined;
}
