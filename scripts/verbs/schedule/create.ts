import { join } from 'node:path';
import {
  checkScheduleName,
  checkTemplate,
  closingTemplate,
  readTiming,
  type TimingOptions,
} from '../../../client/schedules';
import { absolute } from '../../../client/wording/working-folder';
import { openOwnStore } from '../../../workers/store/own-store';
import { readConfig } from '../../process/command-config';
import { EXIT, type ExitCode } from '../../process/exit-codes';
import { checkNotifyTarget, notifyUrlOf } from '../../session/notify-target';
import { printSchedule, tellWhenItFires } from '../../wording/schedule-report';
import { openSession, tellOfSandbox } from '../../session/session';
import { askBeforeSpending, tellHowToFindStore } from '../../session/which-ledger';

export interface CreateOptions extends TimingOptions {
  readonly note?: string;
  /** Folder for the runs, relative to the working folder. */
  readonly out?: string;
  readonly json?: boolean;
}

/** Creates a schedule. The input is checked before anything starts. */
export async function create(name: string, file: string, { json, out, ...options }: CreateOptions): Promise<ExitCode> {
  const config = readConfig(file);
  checkScheduleName(name);
  readTiming(options);
  const template = await checkTemplate(name, file, config);
  return closingTemplate(template, async () => {
    tellOfSandbox(config);
    await checkNotifyTarget(config, notifyUrlOf(template));
    const store = await openOwnStore(config);
    await askBeforeSpending(config, store);
    tellHowToFindStore(config);
    const session = await openSession(config, store);
    try {
      const change = { ...options, template, out: absolute(out ?? join('out', name)) };
      printSchedule(await session.client.schedules.create(name, change), json);
      await tellWhenItFires(session);
      return EXIT.completed;
    } finally {
      await session.close();
    }
  });
}
