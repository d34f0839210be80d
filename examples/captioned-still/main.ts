import { resolve } from 'node:path';
import { workflowQueue } from 'dailies/contracts/task-queues';
import { accountHash } from 'dailies/store';
import { openDailies, readConfig } from 'dailies/workers';
import { type CaptionedStill, type CaptionedStillInput, WORKER_NAME } from './contract';

/**
 * Starts the workflow with this `id`, or joins it if it is running, and prints its result. Another run with the same
 * arguments pays again only for tasks that failed.
 */
async function main(id: string, subject: string, folder: string): Promise<void> {
  const { account } = readConfig();
  const dailies = await openDailies();
  try {
    const { id: storeId } = dailies.store;
    const input: CaptionedStillInput = {
      id,
      storeId,
      picture: await dailies.freezeTask({
        id: `${id}.picture`,
        model: 'pixel-image-1',
        output: 'image',
        prompt: subject,
      }),
      caption: await dailies.freezeTask({
        id: `${id}.caption`,
        model: 'quill-text-1',
        output: 'text',
        prompt: `a caption for ${subject}`,
      }),
      folder: resolve(folder),
    };
    const still = await dailies.temporal.workflow.execute<(given: CaptionedStillInput) => Promise<CaptionedStill>>(
      'captionedStill',
      {
        // Contains the store's id, since another store on the same server may use the same `id`.
        workflowId: `captioned-still/${storeId}/${id}`,
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue: workflowQueue({ account: accountHash(account), storeId }, WORKER_NAME),
        args: [input],
      },
    );
    console.log(JSON.stringify(still));
  } finally {
    await dailies.close();
  }
}

const [id = 'still-1', subject = 'a lighthouse in a storm', folder = 'out'] = process.argv.slice(2);
main(id, subject, folder).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
