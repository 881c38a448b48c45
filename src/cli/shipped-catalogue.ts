import { fileURLToPath } from 'node:url';

/**
 * Catalogue of public corpora shipped with the package. This module is one folder below the root.
 */
export const shippedCatalogue = fileURLToPath(
  new URL('../../corpora/catalogue.yaml', import.meta.url),
);
