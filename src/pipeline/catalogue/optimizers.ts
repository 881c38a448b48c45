/** Every online optimizer that a pipeline file can name. */
export { optimizers } from '../../optimizers/optimizers.js';
