// A process that imports the library and loads the model file that it is given, if any.

import { loadTagger } from '../../../../dist/index.js';

const [file] = process.argv.slice(2);
if (file !== undefined) loadTagger(file);
