export { planRender, type PlanRequest } from './plan-render';
