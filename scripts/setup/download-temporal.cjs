'use strict';
/** Makes the Temporal SDK download its dev server into a folder, as the only file in it. */
const { TestWorkflowEnvironment } = require('@temporalio/testing');

const [folder] = process.argv.slice(2);
TestWorkflowEnvironment.createLocal({ server: { executable: { type: 'cached-download', downloadDir: folder } } })
  .then((environment) => environment.teardown())
  .then(
    () => process.exit(0),
    (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    },
  );
