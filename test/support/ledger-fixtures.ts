import { type AssetRef } from '../../contracts/asset';
import { type Intent, type TakeAddress } from '../../store';

export const ADDRESS: TakeAddress = { productionId: 'film', shotId: 'dawn', take: 1 };

/** A frozen production that no store has. */
export const FROZEN: AssetRef = {
  sha256: 'f'.repeat(64),
  sizeBytes: 1,
  mediaType: 'application/json',
  durationSeconds: null,
  width: null,
  height: null,
};

export const AT = '2026-01-01T00:00:00.000Z';

export function intent(changes: Partial<Intent> = {}): Intent {
  return {
    takeKey: 'a'.repeat(64),
    askKey: 'b'.repeat(64),
    count: 0,
    account: 'sandbox',
    renderId: 'render-1',
    attempt: 1,
    model: { id: 'beta-2.5', output: 'video' },
    parameters: { prompt: 'dawn' },
    at: AT,
    ...changes,
  };
}

export function sent(untilMs = Date.now() + 60_000): { at: string; until: string; mode: 'submit' } {
  return { at: AT, until: new Date(untilMs).toISOString(), mode: 'submit' };
}

export function settled(state: 'completed' | 'failed', taskId = 'task-1', credits: number | null = 12) {
  return { taskId, state, credits, reason: state === 'failed' ? 'no luck' : null, text: null, raw: null, at: AT };
}
