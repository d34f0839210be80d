export { planRender, planRest } from './plan-render';
