import { type ProductionStatus } from '../../contracts/status';
import { type Rig } from './rig';
import { until } from './until';

/** The status as the workflow itself tells it. A question that Temporal loses is answered by the store, and asked again. */
export function liveStatusOf({ client }: Pick<Rig, 'client'>, id: string): Promise<ProductionStatus> {
  return until(async () => {
    const status = await client.status(id);
    return status !== undefined && status.fromStore !== true && status;
  });
}
