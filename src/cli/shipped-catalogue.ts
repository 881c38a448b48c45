import { fileURLToPath } from 'node:url';

/** The catalogue of public corpora that comes with the package. This module lies one folder deep. */
export const shippedCatalogue = fileURLToPath(
  new URL('../../corpora/catalogue.yaml', import.meta.url),
);
