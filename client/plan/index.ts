export { planRender, type PlanRequest, planRest } from './plan-render';
