export { planRender, planRest, type PlanRequest } from './plan-render';
