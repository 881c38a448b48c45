/** A record that several people have accepted: the tags of each, by name. */
export interface SharedRecord {
  readonly record: number;
  readonly versions: readonly { readonly annotator: string; readonly tags: readonly string[] }[];
}

/** Whether all versions of a record are the same. */
export function isAgreed({ versions }: SharedRecord): boolean {
  return versions.every(({ tags }) => tags.every((tag, t) => tag === versions[0]!.tags[t]));
}
