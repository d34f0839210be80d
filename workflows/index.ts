export { assemble } from './assemble';
export { generate } from './generate';
export { production } from './production';
export { shot } from './shot';
