import { type ProductionInput, type ShotProgress } from '../../contracts/workflows';
import { ProductionProgress } from '../../workflows/production-progress';
import { betaShot, film, planOf } from '../support/rig';

const asset = { sha256: '0'.repeat(64), sizeBytes: 1, mediaType: 'application/json' };
const input: ProductionInput = {
  productionId: 'film',
  storeId: 'store',
  production: { ...asset, durationSeconds: null, width: null, height: null },
  plan: planOf(film('film', [betaShot('one')])),
  renderId: 'render',
  searchable: false,
};
const inReview: ShotProgress = {
  shotId: 'one',
  runId: 'run-2',
  state: 'review',
  reason: null,
  parkedFor: null,
  takesUnderWay: 0,
  takes: [],
  filmTake: 1,
};

describe('the progress of a production', () => {
  it('keeps what a shot told of itself in the moment before its start was known', () => {
    const progress = new ProductionProgress(input);
    progress.shotStarted('one');
    progress.shotProgressed(inReview);
    progress.shotRuns('one', 'run-2');
    expect(progress.status().shots[0]).toMatchObject({ state: 'review', filmTake: 1, review: { takesUnderWay: 0 } });
  });

  it('drops what an older run told while the new one waited for its end', () => {
    const progress = new ProductionProgress(input);
    progress.shotStarted('one');
    progress.shotProgressed({ ...inReview, runId: 'run-1' });
    progress.shotRuns('one', 'run-2');
    expect(progress.status().shots[0]).toMatchObject({ state: 'rendering', filmTake: null, review: null });
  });
});
