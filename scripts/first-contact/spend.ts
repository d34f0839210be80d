import { Refused } from '../../client';
import { createGatewayClient } from '../../gateway';
import { taskPath } from '../../gateway/addresses';
import { type Config } from '../../workers/config/config';
import { openOwnStore } from '../../workers/store/own-store';
import { confirm } from '../process/confirm';
import { listenForInterrupt } from '../process/interrupt';
import { followTask } from '../progress/follow-task';
import { gatewayOf, NO_GATEWAY } from '../session/find-task';
import { LEAVING, openSession, tellOfHeld } from '../session/session';
import { type Session } from '../session/open-session';
import { tell } from '../process/streams';
import { INTERRUPTED_BEFORE } from '../renders/going-on';
import { type FirstContact, firstContact } from './first-contact';
import { FIRST_TASK, type FirstTask, freezeFirstTask, type Picture, wouldPay } from './first-task';

export interface SpendOptions {
  /** Skips the question. */
  readonly yes?: boolean;
  readonly id?: string;
  /** Address of a start frame, sent instead of the picture in Dailies' package. */
  readonly startFrame?: string;
}

/** Default name of the task in the ledger. A later run with this name and the same picture finds the paid task. */
const ID = 'doctor';

/**
 * Runs one paid task, after the person has agreed, and reports how the gateway handled the points that its
 * specification leaves open.
 *
 * The task is recorded in the ledger first. So a second run with the same id and picture pays again only if the task
 * has failed or a person decided to resubmit it. If the gateway refuses the picture as a data URI, nothing is charged,
 * and the task is submitted again without the picture.
 *
 * @returns a `FirstContact` for each task that was run; undefined if the person interrupted the command.
 * @throws Refused if the person says no or cannot be asked, if the start frame is invalid, or if no gateway
 *   is configured beside TEMPORAL_ADDRESS; errors of openSession.
 */
export async function spend(config: Config, options: SpendOptions): Promise<readonly FirstContact[] | undefined> {
  if (config.gateway === null && config.temporalAddress !== undefined) throw new Refused(NO_GATEWAY);
  const store = await openOwnStore(config);
  const { id = ID } = options;
  const freeze = (picture: Picture): Promise<FirstTask> => freezeFirstTask(id, picture, config, store);
  const first = await freeze(pictureOf(config, options));
  if (!(await isAgreed(config, first, options))) throw new Refused('you did not agree; nothing was sent');

  const { interrupted, signal } = listenForInterrupt();
  const session = await openSession(config, store);
  let hasBegun = false;
  try {
    await tellOfHeld(session);
    if (!signal.aborted) {
      hasBegun = true;
      const contacts = contactsOf(session, first, freeze, signal);
      const outcome = await Promise.race([contacts, interrupted, session.lost]);
      if (outcome !== 'interrupted') return outcome;
    }
    tell(LEAVING);
  } finally {
    await session.close();
  }
  tell(hasBegun ? 'What was paid for is kept. Run the same command again to continue.' : INTERRUPTED_BEFORE);
  return undefined;
}

function pictureOf({ fileValues }: Config, { startFrame }: SpendOptions): Picture {
  if (startFrame !== undefined) return { by: 'address', url: startFrame };
  return fileValues === 'url' ? null : { by: 'data URI' };
}

async function isAgreed({ gateway, account }: Config, task: FirstTask, { yes }: SpendOptions): Promise<boolean> {
  if (!wouldPay(await task.newestTake())) {
    tell(`Task "${task.shot.id}" was sent before: nothing is paid for. To send another task, give another --id.`);
    return true;
  }
  const { model, durationSeconds, resolution } = FIRST_TASK;
  tell([
    `This sends one task, which ${gateway === null ? 'the embedded sandbox charges nobody for' : 'is paid for'}:`,
    `  POST ${taskPath({ id: model }, 'submit')} at ${gateway?.url ?? 'the sandbox'}, account ${account}`,
    `  ${model}, ${durationSeconds} s at ${resolution}, without sound, with its last frame; ${inWords(task.picture)}`,
    'The gateway decides what it costs. The command also makes reads, which cost nothing.',
  ]);
  return yes === true || confirm('Send it?');
}

function inWords(picture: Picture): string {
  if (picture === null) return 'no picture, since files are sent by address only (--start-frame ADDRESS sends one)';
  if (picture.by === 'address') return `a picture by its address, ${picture.url}`;
  return 'a picture as a data URI; if the gateway refuses it, the same task without a picture';
}

async function contactsOf(
  session: Session,
  first: FirstTask,
  freeze: (picture: Picture) => Promise<FirstTask>,
  signal: AbortSignal,
): Promise<readonly FirstContact[]> {
  const contact = await contactWith(session, first);
  const isRefused = contact.fileValue.taken === false && first.picture?.by === 'data URI';
  if (!isRefused || signal.aborted) return [contact];
  tell('The submit with the picture was refused; the same task is sent without it.');
  return [contact, await contactWith(session, await freeze(null))];
}

async function contactWith({ config, client, set }: Session, task: FirstTask): Promise<FirstContact> {
  const { url, key, plainHttpHosts } = gatewayOf(config, set);
  const gateway = createGatewayClient({ baseUrl: url, apiKey: key, plainHttpHosts });
  const following = followTask(() => task.newestTake(), task.shot.id);
  try {
    const { ref, shot } = task;
    return await firstContact({
      gateway,
      gatewayAt: { baseUrl: url, plainHttpHosts },
      task,
      run: () => client.generate({ generationId: shot.id, production: ref, shot, mode: 'submit' }),
      readEveryMs: config.pollFloorMs,
    });
  } finally {
    following.stop();
    await gateway.close();
  }
}
