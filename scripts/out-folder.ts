import { absolute } from '../client/working-folder';

/** Folder for what comes out, beside where the command runs. */
const OUT = 'out';

/** Where a production is published that names no other folder. */
export function outFolder(productionId: string): string {
  return absolute(OUT, productionId);
}
