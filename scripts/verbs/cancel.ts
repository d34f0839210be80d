import { openStore } from '../../store';
import { readConfig } from '../../workers/config';
import { EXIT, type ExitCode } from '../exit-codes';
import { listenForInterrupt } from '../interrupt';
import { followProduction } from '../progress/follow-production';
import { openSession, tellOfHeld } from '../session';
import { tell } from '../streams';

/**
 * Cancels a production and waits until it has drained: nothing new is paid for, what is paid for is collected.
 *
 * It waits, since with the embedded set the draining needs this command to hold the set up. A production that was
 * interrupted stays held meanwhile, so that the worker that comes up buys nothing before it hears of the cancellation.
 */
export async function cancel(productionId: string): Promise<ExitCode> {
  const config = readConfig();
  const session = await openSession(config, await openStore(config.storeFolder));
  const { signal } = listenForInterrupt();
  try {
    await session.client.cancel(productionId);
    tell(`Cancelling "${productionId}": nothing new is paid for; what is under way at the gateway is collected.`);
    await tellOfHeld(session, productionId);
    const last = await followProduction(session, productionId, signal, { plain: false, quiet: false });
    if (last === undefined || last.state === 'running') {
      tell(`"${productionId}" is still being cancelled; look again with \`dailies status ${productionId}\`.`);
      return EXIT.interrupted;
    }
    tell(`"${productionId}" has ended: ${last.state}.`);
    return EXIT.completed;
  } finally {
    await session.close();
  }
}
