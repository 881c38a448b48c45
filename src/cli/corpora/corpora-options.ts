import { type ArgumentsOf, flag, text } from '../options/option-kinds.js';

/** Options of all `corpora` commands. */
export const corporaOptions = {
  dir: text('folder of the corpora; default: TAGSTREAM_CORPORA, or ./corpora-data'),
  catalogue: text('another catalogue file'),
  json: flag('print JSON'),
} as const;

/** Options of commands that may fetch a corpus. */
export const fetchOptions = {
  'accept-licence': flag(
    'confirm that your use complies with the licence of a corpus that restricts it',
  ),
} as const;

export type CorporaArguments = ArgumentsOf<typeof corporaOptions>;

export interface FetchArguments extends CorporaArguments {
  readonly names: readonly string[];
  readonly acceptLicence?: boolean | undefined;
}

/** Returns the folder of the corpora. */
export function corporaDirectory({ dir }: CorporaArguments): string {
  const named = dir ?? process.env.TAGSTREAM_CORPORA;
  return named === undefined || named === '' ? 'corpora-data' : named;
}
