export { createRenders, type Renders } from './renders';
export { type Change, type RenderRequest } from './request';
export { isRunning } from './running-render';
