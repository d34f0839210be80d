import { counted } from '../../contracts/counted';
import { type Sending, type TakeHistory, tasksOf } from '../../store';
import { type ShotView } from './film-view';

export interface ShotEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly take: number;
  readonly words: string;
}

/** The events of a shot from the ledger, oldest first. */
export function shotEvents({ takes }: Pick<ShotView, 'takes'>): readonly ShotEvent[] {
  const events = takes.flatMap(({ take, history }) => {
    const { intent, sendings, decisions, settled, pruned } = history;
    const from = intent.alias;
    const request =
      from === undefined
        ? 'requested'
        : `reuses take ${from.take} of "${from.shotId}" in "${from.productionId}", at no cost`;
    const takeEvents = [
      { at: intent.at, words: request },
      ...sendings.flatMap((sending) => sendingEvents(history, sending)),
      ...decisions.map(({ at, kind, by, taskId }) => ({ at, words: decisionInWords(kind, by, taskId) })),
      ...(settled === undefined ? [] : [{ at: settled.at, words: endInWords(settled) }]),
      ...(pruned === undefined ? [] : [{ at: pruned.at, words: 'its output was pruned' }]),
    ];
    return takeEvents.map((event) => ({ ...event, take }));
  });
  return events.toSorted((a, b) => a.at.localeCompare(b.at));
}

type TakeEvent = Omit<ShotEvent, 'take'>;

function sendingEvents(history: TakeHistory, sending: Sending): readonly TakeEvent[] {
  const { n, sent, accepted, refused, unclear, alsoAccepted } = sending;
  const tasks = tasksOf({ ...history, sendings: [sending] });
  const again = n === 1 ? '' : `, sending ${n}`;
  return [
    ...(sent === null ? [] : [{ at: sent.at, words: `sent to the gateway${again}` }]),
    ...(refused === undefined ? [] : [{ at: refused.at, words: `not accepted: ${refused.reason}` }]),
    ...(unclear === undefined ? [] : [{ at: unclear.at, words: `unclear whether it was accepted: ${unclear.reason}` }]),
    ...(accepted === undefined ? [] : [{ at: accepted.at, words: `accepted as task ${accepted.taskId}` }]),
    ...(alsoAccepted === undefined || !tasks.includes(alsoAccepted.taskId)
      ? []
      : [{ at: alsoAccepted.at, words: `task ${alsoAccepted.taskId} was accepted as well, and is charged` }]),
  ];
}

function decisionInWords(kind: string, by: string, taskId: string | undefined): string {
  return `${by === 'person' ? 'you decided' : 'decided by the file'}: ${kind}${taskId === undefined ? '' : ` ${taskId}`}`;
}

function endInWords({
  state,
  credits,
  reason,
}: {
  readonly state: string;
  readonly credits: number | null;
  readonly reason: string | null;
}): string {
  const cost = credits === null ? 'price unknown' : counted(credits, 'credit');
  return `${state}, ${cost}${reason === null ? '' : `: ${reason}`}`;
}
