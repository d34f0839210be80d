import { ANSWERS, type Decision, type ParkedFor } from '../contracts/decision';
import { GENERATIONS } from '../contracts/identifiers';
import { type ProductionStatus, type ShotStatus } from '../contracts/status';
import { type TakeHistory } from '../store';
import { shellWord } from './books/difference';

/**
 * Whether a running production can only go on when a person decides: all that is left is parked or in review, or waits
 * for what is, or is to be bought while the production is paused.
 */
export function waitsForPeople({ state, shots, assembly, paused, fromStore }: ProductionStatus): boolean {
  if (state !== 'running' || fromStore === true || assembly === 'running') return false;
  // What the gateway has accepted is collected; anything else is held.
  if (paused !== undefined) {
    return !shots.filter(isRendering).some(({ takes }) => takes.some((take) => take.state === 'rendering'));
  }
  return shots.some((shot) => shot.state === 'parked' || shot.state === 'review') && !shots.some(isRendering);
}

/** What to type so that a paused production goes on. */
export function resumeCommand(productionId: string): string {
  return `dailies resume ${productionId}`;
}

/** A shot in review may have other takes under way, among which a person may want to choose. */
function isRendering({ state, review }: ShotStatus): boolean {
  return state === 'rendering' || (review !== null && review.takesUnderWay > 0);
}

/** What to type so that a parked shot goes on. */
export function resolveCommand(productionId: string, shotId: string, parkedFor: ParkedFor): string {
  if (parkedFor === 'budget') return `dailies budget ${productionId} --credits M`;
  return `dailies resolve ${productionId} ${shotId} ${ANSWERS[parkedFor].map((kind) => FLAGS[kind]).join(' | ')}`;
}

/**
 * What to type so that a shot in review goes on. It names the take: by the time that it is typed another one may stand,
 * which nobody has looked at.
 */
export function reviewCommand(productionId: string, shot: Pick<ShotStatus, 'id' | 'takes' | 'filmTake'>): string {
  return `dailies approve ${productionId} ${shot.id} --take ${completedTakes(shot).join('|')} | dailies reject ${productionId} ${shot.id} [--prompt TEXT]`;
}

/** Numbers of the takes among which a reviewer has the choice. */
export function completedTakes({ takes }: Pick<ShotStatus, 'takes'>): readonly number[] {
  return takes
    .filter(({ state }) => state === 'completed')
    .map(({ take }) => take)
    .toSorted((a, b) => a - b);
}

/** What to type so that a production, or a single task, goes on to its end. */
export function renderCommand(productionId: string, file: string | undefined): string {
  if (productionId === GENERATIONS) return 'the same `dailies generate` again';
  return `dailies render ${file === undefined ? 'FILE' : shellWord(file)} --id ${productionId}`;
}

/**
 * Since when a parked take waits, as near as the ledger tells: since the newest that it has noted, and where the task is
 * overdue, since its deadline after that. ISO 8601.
 */
export function waitsSince(
  { intent, sendings, decisions, settled }: TakeHistory,
  parkedFor: ParkedFor,
  deadlineSeconds: number,
): string {
  const answers = sendings.flatMap(({ accepted, refused, unclear }) => [accepted, refused, unclear]);
  const noted = [intent, ...answers, ...decisions, settled].flatMap((record) => record?.at ?? []);
  const lastMs = Math.max(...noted.map((at) => Date.parse(at)));
  return new Date(lastMs + (parkedFor === 'overdue' ? deadlineSeconds * 1_000 : 0)).toISOString();
}

const FLAGS: Readonly<Record<Decision['kind'], string>> = {
  adopt: '--adopt TASK_ID',
  resubmit: '--resubmit',
  skip: '--skip',
  use: '--use FILE',
  wait: '--wait',
};
