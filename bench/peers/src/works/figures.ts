import { quantile } from '../../../../dist/bench/statistics';
import { type GatewayTask } from '../gateway-program';
import { type Figures } from '../saved';

/** Time from a task's end at the gateway to the first answer that reports the end. */
export function lagSeconds({ finishedAt, endReportedAt }: GatewayTask): number {
  return secondsBetween(finishedAt, endReportedAt);
}

/** Lag until ends are seen, and polls per task. */
export function lags(tasks: readonly GatewayTask[]): Figures {
  const seconds = tasks.map(lagSeconds);
  return {
    'lag, mean s': mean(seconds),
    'lag, p95 s': quantile(seconds, 0.95),
    'polls a task': mean(tasks.map(({ reads }) => reads)),
  };
}

export function secondsBetween(from: string | null, to: string | null): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
