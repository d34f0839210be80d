export { type CheckedTemplate, checkGivenTemplate, checkTemplate } from './check-template';
export { closingTemplate } from './freeze-template';
export { type RunView } from './list-runs';
export { type EndedRun, runsToPutOut } from './runs-to-put-out';
export { checkScheduleName } from './schedule-name';
export { type ScheduleView } from './schedule-view';
export { storedSchedules } from './schedule-views';
export { type Schedules } from './schedules';
export { readTiming, type TimingOptions } from './timing';
